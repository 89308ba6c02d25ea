#pragma once
// Folders that are data by their layout: one per class, or one of pictures beside one of masks; and
// files of rows by the split they are of.

#include <map>
#include <string>
#include <vector>

#include "inspect/eval/rows/rows.h"
#include "inspect/eval/task.h"

namespace hone {

// Numbers by the order of their names, unless the names are numbers.
std::vector<std::uint64_t> numbers_of_folders(const std::vector<Path>& folders);

// Whether there is an .npz in one of them.
Result<bool> are_class_arrays(const std::vector<Path>& folders);

// A row per file. Folders that are called as columns of the task are (images and masks): a row per
// name that is in all of them. Else each folder is a class, and the task's first column the file;
// its name is the label where the model knows all the names, else its number. Null where the
// folders hold no such files.
Result<std::unique_ptr<RowSource>> open_folder_rows(const Path& folder,
                                                    const std::vector<Path>& folders,
                                                    const Task& task,
                                                    const std::vector<std::string>& names);

// The file of a split: what the card says, or NAME.csv, .tsv, .jsonl or .json; where no split is
// asked for test, then validation, then the only one. Empty where there is no file of rows.
Result<Path> find_table(const Path& folder, const std::map<std::string, std::string>& files,
                        const std::string& split);

}  // namespace hone
