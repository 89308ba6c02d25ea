#include "flow/export/place.h"

#include <unistd.h>

#include <algorithm>

#include "base/folder.h"
#include "base/misuse.h"
#include "base/replace_folder.h"
#include "model/model.h"

namespace hone {
namespace {

// Of an export that is there; a folder with more is somebody's own.
constexpr std::size_t most_carried_over = 1000;

bool is_there(const Path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

bool is_same(const Path& a, const Path& b) {
  std::error_code unknown;
  return std::filesystem::equivalent(a, b, unknown);
}

Status made_folder(const Path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  return problem ? fail(Fault::io, "cannot make '" + folder.string() + "'", problem.message())
                 : done();
}

// The file a link leads to gets the name: what caches of checkpoints hold are links.
bool has_second_name(const Path& file, const Path& name) {
  std::error_code problem;
  const Path whole = std::filesystem::canonical(file, problem);
  return !problem && ::link(whole.c_str(), name.c_str()) == 0;
}

Status move_file(const Path& from, const Path& to) {
  std::error_code problem;
  std::filesystem::rename(from, to, problem);
  return problem ? fail(Fault::io, "cannot write '" + to.string() + "'", problem.message())
                 : done();
}

}  // namespace

Result<ExportPlace> ExportPlace::settle(const std::string& output, bool overwrite,
                                        const Path& checkpoint) {
  ExportPlace place;
  place.checkpoint_ = checkpoint;
  place.overwrite_ = overwrite;
  std::error_code unknown;
  Path path = Path(output).lexically_normal();
  if (path.filename().empty() && path.has_parent_path()) path = path.parent_path();
  if (path.extension() == ".onnx" && !std::filesystem::is_directory(path, unknown)) {
    HONE_TRY_DO(refuse_existing(path, overwrite));
    place.folder_ = path.has_parent_path() ? path.parent_path() : Path(".");
    place.file_ = path.filename().string();
    place.is_checkpoints_ = is_same(place.folder_, checkpoint);
    return place;
  }
  place.folder_ = path;
  if (!is_there(path)) return place;
  if (!std::filesystem::is_directory(path, unknown))
    return misuse("'" + output + "' is a file", "-o takes a folder, or FILE.onnx for one model");
  place.is_checkpoints_ = is_same(path, checkpoint);
  place.has_others_ = !std::filesystem::is_empty(path, unknown);
  if (place.is_checkpoints_ || !place.has_others_) return place;
  HONE_TRY_DO(refuse_existing(path, overwrite));
  if (!is_same(path, ".")) return place;
  return misuse("the folder to replace is the one you are in",
                "-o with the name of another, or start it elsewhere");
}

std::string ExportPlace::name_of_part(const std::string& part) const {
  return is_file() ? file_ : part + ".onnx";
}

Status ExportPlace::refuse_taken(const std::vector<std::string>& models,
                                 const std::set<std::string>& data) const {
  if (!is_file() && !is_checkpoints_) return done();  // a folder of its own
  for (const std::string& model : models) HONE_TRY_DO(refuse_existing(folder_ / model, overwrite_));
  for (const std::string& name : data) {
    if (is_there(folder_ / name) && !is_same(folder_ / name, checkpoint_ / name))
      HONE_TRY_DO(refuse_existing(folder_ / name, overwrite_));
  }
  return done();
}

Result<Path> ExportPlace::made() {
  if (!made_.empty()) return made_;
  const bool is_inside = is_file() || is_checkpoints_;
  const Path whole = std::filesystem::absolute(folder_).lexically_normal();
  const Path parent = is_inside ? folder_ : whole.parent_path();
  if (!is_inside) HONE_TRY_DO(made_folder(parent));
  HONE_TRY(TemporaryFolder folder,
           TemporaryFolder::create_in(parent, is_inside ? "export" : whole.filename().string()));
  const Path made = temporary_.emplace(std::move(folder)).path() / "made";
  HONE_TRY_DO(made_folder(made));  // with the permissions of any folder
  made_ = made;
  return made_;
}

Result<WeightPlacement> ExportPlace::bring(const std::string& data) {
  HONE_TRY(const Path folder, made());
  if (has_second_name(checkpoint_ / data, folder / data)) return WeightPlacement::hard_link;
  HONE_TRY(AtomicFile copy, AtomicFile::copy_of(checkpoint_ / data, folder / data));
  HONE_TRY_DO(copy.commit());
  return WeightPlacement::copy;
}

Status ExportPlace::finish(const std::vector<std::string>& models,
                           const std::set<std::string>& data) {
  if (!is_file() && !is_checkpoints_) return finish_folder();
  std::vector<Path> linked;
  for (const std::string& model : models) {
    Status placed = finish_model(model, data, linked);
    if (placed) continue;
    std::error_code ignored;
    for (const Path& name : linked) std::filesystem::remove(name, ignored);
    return placed;
  }
  return done();
}

Status ExportPlace::finish_folder() const {
  if (has_others_) HONE_TRY_DO(carry_over(folder_));
  return is_same(folder_, ".") ? move_in() : replace_folder(made_, folder_);
}

// The folder changes as a whole: what else is in it comes along.
Status ExportPlace::carry_over(const Path& others) const {
  HONE_TRY(const std::vector<FolderEntry> entries, walk_folder(others, most_carried_over));
  for (const FolderEntry& entry : entries) {
    const Path to = made_ / entry.name;
    std::error_code problem;
    if (std::filesystem::exists(std::filesystem::symlink_status(to, problem))) continue;
    problem.clear();
    if (entry.is_link()) {
      std::filesystem::copy_symlink(entry.path, to, problem);
    } else if (entry.is_folder()) {
      std::filesystem::create_directories(to, problem);
    } else if (::link(entry.path.c_str(), to.c_str()) != 0) {
      HONE_TRY_DO(clone_file(entry.path, to));
    }
    if (problem) {
      return fail(Fault::io, "cannot keep '" + entry.path.string() + "'", problem.message(),
                  "-o with the name of a new folder");
    }
  }
  return done();
}

// Into an empty folder that has to stay: models come last.
Status ExportPlace::move_in() const {
  HONE_TRY(std::vector<Path> files, files_in(made_));
  std::ranges::stable_partition(files,
                                [](const Path& file) { return file.extension() != ".onnx"; });
  for (const Path& file : files) HONE_TRY_DO(move_file(file, folder_ / file.filename()));
  return done();
}

// Data that is not there gets its name before the model; what is there and is other data goes with
// the old model, in steps (docs/saves.md).
Status ExportPlace::finish_model(const std::string& model, const std::set<std::string>& data,
                                 std::vector<Path>& linked) const {
  bool replaces_data = false;
  for (const std::string& name : data) {
    const Path target = folder_ / name;
    if (is_there(target)) {
      replaces_data |= !is_same(target, checkpoint_ / name) && !is_same(target, made_ / name);
      continue;
    }
    HONE_TRY_DO(move_file(made_ / name, target));
    linked.push_back(target);
  }
  if (replaces_data) return place_model(made_ / model, folder_ / model, Placing::move, overwrite_);
  HONE_TRY(AtomicFile file, AtomicFile::take(made_ / model, folder_ / model));
  return file.commit();
}

}  // namespace hone
