#pragma once
// Where an export goes, and how it gets there: all of it is made in a folder beside the place, and
// takes its names when it is whole.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/export.h"

namespace hone {

class ExportPlace {
 public:
  // `output` is a folder, or FILE.onnx. Refuses what is there already unless it may be replaced.
  static Result<ExportPlace> settle(const std::string& output, bool overwrite,
                                    const Path& checkpoint);

  bool is_file() const { return !file_.empty(); }
  bool is_the_checkpoints() const { return is_checkpoints_; }
  // What a part's model is called there.
  std::string name_of_part(const std::string& part) const;
  Path folder() const { return folder_; }

  // Refuses what would replace other files of these names: models, and data beside them.
  Status refuse_taken(const std::vector<std::string>& models,
                      const std::set<std::string>& data) const;

  // The folder in which it is made; made by the first call.
  Result<Path> made();
  // The checkpoint's file in that folder: under a second name, or a copy.
  Result<WeightPlacement> bring(const std::string& data);

  // Gives all that was made its place. REQUIRES: nothing of it is open for writing.
  Status finish(const std::vector<std::string>& models, const std::set<std::string>& data);

 private:
  Status finish_folder() const;
  Status carry_over(const Path& others) const;
  Status move_in() const;
  Status finish_model(const std::string& model, const std::set<std::string>& data,
                      std::vector<Path>& linked) const;

  Path folder_;
  std::string file_;  // empty: the output is the folder
  Path checkpoint_;
  bool overwrite_ = false;
  bool is_checkpoints_ = false;
  bool has_others_ = false;  // the folder is there, with something in it
  std::optional<TemporaryFolder> temporary_;
  Path made_;
};

}  // namespace hone
