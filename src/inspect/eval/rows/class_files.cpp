#include "inspect/eval/rows/class_files.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/folder.h"
#include "base/text.h"
#include "inspect/eval/image_file.h"

namespace hone {
namespace {

std::optional<std::uint64_t> number_in(const std::string& name) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::string name_of(const Path& path) { return path.filename().string(); }

bool holds_file_of(const Task& task, const Path& file) {
  if (task.feed == Feed::sound) return lowercase(file.extension().string()) == ".wav";
  return is_image_file(file);
}

class FileRows : public RowSource {
 public:
  explicit FileRows(std::vector<Json> rows) : rows_(std::move(rows)) {}
  Result<std::optional<Row>> next() override {
    if (next_ == rows_.size()) return std::optional<Row>();
    Row row;
    row.columns = rows_[next_++];
    row.line = next_;
    return std::optional(std::move(row));
  }
  std::string_view counted_by() const override { return "file"; }

 private:
  std::vector<Json> rows_;
  std::size_t next_ = 0;
};

std::unique_ptr<RowSource> rows_of(std::vector<Json> rows) {
  if (rows.empty()) return nullptr;
  return std::make_unique<FileRows>(std::move(rows));
}

Result<std::vector<Json>> class_rows(const Path& root, const std::vector<Path>& folders,
                                     const Task& task, const std::vector<std::string>& names) {
  std::vector<Json> rows;
  const std::vector<std::uint64_t> numbers = numbers_of_folders(folders);
  const bool are_known = std::ranges::all_of(folders, [&](const Path& folder) {
    return std::ranges::find(names, name_of(folder)) != names.end();
  });
  for (std::size_t i = 0; i < folders.size(); ++i) {
    HONE_TRY(const std::vector<Path> files, files_in(folders[i]));
    for (const Path& file : files) {
      if (!holds_file_of(task, file)) continue;
      Json row = Json::object();
      row.set(task.columns.front().name, file.lexically_relative(root).generic_string());
      row.set("label", are_known ? Json(name_of(folders[i])) : Json(numbers[i]));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// The folder of each column that is a file: "images" or "image".
std::vector<Path> folders_of_columns(const std::vector<Path>& folders, const Task& task) {
  std::vector<Path> found;
  for (const ColumnFacts& column : task.columns) {
    if (!column.is_file) continue;
    const std::string name(column.name);
    const auto folder = std::ranges::find_if(folders, [&](const Path& path) {
      return name_of(path) == name || name_of(path) == name + "s";
    });
    if (folder == folders.end()) return {};
    found.push_back(*folder);
  }
  return found.size() > 1 ? found : std::vector<Path>();
}

Result<std::vector<Json>> paired_rows(const Path& root, const std::vector<Path>& folders,
                                      const Task& task) {
  std::map<std::string, std::vector<std::string>> by_stem;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    HONE_TRY(const std::vector<Path> files, files_in(folders[i]));
    for (const Path& file : files) {
      std::vector<std::string>& paths = by_stem[file.stem().string()];
      if (paths.size() == i) paths.push_back(file.lexically_relative(root).generic_string());
    }
  }
  std::vector<Json> rows;
  for (const auto& [stem, paths] : by_stem) {
    Json row = Json::object();
    std::size_t next = 0;
    // Where one is missing its column is: the row is counted as broken.
    for (const ColumnFacts& column : task.columns)
      if (column.is_file && next < paths.size()) row.set(column.name, paths[next++]);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<std::uint64_t> numbers_of_folders(const std::vector<Path>& folders) {
  const bool are_numbers = std::ranges::all_of(
      folders, [](const Path& folder) { return number_in(name_of(folder)).has_value(); });
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < folders.size(); ++i)
    numbers.push_back(are_numbers ? *number_in(name_of(folders[i])) : i);
  return numbers;
}

Result<bool> are_class_arrays(const std::vector<Path>& folders) {
  for (const Path& folder : folders) {
    HONE_TRY(const std::vector<Path> files, files_in(folder));
    for (const Path& file : files)
      if (file.extension() == ".npz") return true;
  }
  return false;
}

Result<std::unique_ptr<RowSource>> open_folder_rows(const Path& folder,
                                                    const std::vector<Path>& folders,
                                                    const Task& task,
                                                    const std::vector<std::string>& names) {
  const std::vector<Path> columns = folders_of_columns(folders, task);
  if (!columns.empty()) {
    HONE_TRY(std::vector<Json> rows, paired_rows(folder, columns, task));
    return rows_of(std::move(rows));
  }
  const bool takes_classes = std::ranges::any_of(
      task.columns, [](const ColumnFacts& column) { return column.name == "label"; });
  if (!takes_classes || !task.columns.front().is_file) return std::unique_ptr<RowSource>();
  HONE_TRY(std::vector<Json> rows, class_rows(folder, folders, task, names));
  return rows_of(std::move(rows));
}

Result<Path> find_table(const Path& folder, const std::map<std::string, std::string>& files,
                        const std::string& split) {
  std::map<std::string, Path> found;
  if (files.empty()) {
    HONE_TRY(const std::vector<Path> all, files_in(folder));
    for (const Path& file : all)
      if (is_row_file(file) && name_of(file) != "dataset.json") found[file.stem().string()] = file;
  }
  for (const auto& [name, file] : files) found[name] = folder / file;
  if (found.empty() && split.empty()) return Path();
  for (const std::string& name : {split, std::string("test"), std::string("validation")}) {
    if (const auto one = found.find(name); one != found.end()) return one->second;
    if (!split.empty()) break;
  }
  if (split.empty() && found.size() == 1) return found.begin()->second;
  std::vector<std::string> names;
  for (const auto& [name, file] : found) names.push_back(name);
  return fail(Fault::bad_input,
              split.empty() ? "'" + folder.string() + "' has several files of rows"
                            : "'" + folder.string() + "' has no split '" + printable(split) + "'",
              names.empty() ? "it has no file of rows" : "there are " + join(names, ", "),
              "name one of them: --split NAME");
}

}  // namespace hone
