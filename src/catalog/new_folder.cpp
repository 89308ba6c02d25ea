#include "catalog/new_folder.h"
#include "base/folder.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/remains.h"

namespace hone {
namespace {

Failure cannot_make(const Path& path, int error_number) {
  const bool exists = error_number == EEXIST || error_number == ENOTEMPTY;
  if (exists)
    return fail(Fault::io, "'" + path.string() + "' exists already", {}, "choose another name");
  const bool has_no_place = error_number == ENOENT;
  return fail(has_no_place ? Fault::not_found : Fault::io,
              "cannot make the folder '" + path.string() + "'", system_message(error_number),
              has_no_place ? "create the folder it is to be in first" : "");
}

std::string prefix_of(const Path& path) {
  return "." + path.filename().string().substr(0, 200) + ".hone-";
}

Path without_trailing_slash(const Path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

Status check_new_folder(const Path& asked) {
  const Path path = without_trailing_slash(asked);
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) return cannot_make(path, EEXIST);
  const Path folder = path.parent_path();
  const bool has_place = folder.empty() || ::stat(folder.c_str(), &facts) == 0;
  return has_place ? done() : cannot_make(path, errno);
}

Result<NewFolder> NewFolder::create(const Path& asked) {
  const Path path = without_trailing_slash(asked);
  HONE_TRY_DO(check_new_folder(path));
  const Path start = path.parent_path() / prefix_of(path);
  remove_folders_left(start);
  std::optional<HeldFolder> made = make_held_folder(start);
  if (!made) return cannot_make(path, errno);
  return NewFolder(path, std::move(made->path), std::move(made->lock));
}

NewFolder::NewFolder(NewFolder&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      lock_(std::move(other.lock_)) {}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

Result<Path> NewFolder::place_for(const std::string& relative) const {
  HONE_TRY_DO(check_stays_inside(relative));
  const Path place = temporary_ / relative;
  std::error_code problem;
  std::filesystem::create_directories(place.parent_path(), problem);
  if (problem)
    return fail(Fault::io, "cannot make the folder of '" + relative + "'", problem.message());
  return place;
}

Status NewFolder::commit() {
  // mkdtemp's folder is for us alone; the result is as any other folder.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(temporary_.c_str(), 0777 & ~mask);
  int moved = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE);
  // Not every file system knows the flag. Without it an empty folder is replaced, and no other.
  if (moved != 0 && errno == EINVAL) moved = ::rename(temporary_.c_str(), path_.c_str());
  if (moved != 0) return cannot_make(path_, errno);
  temporary_.clear();
  return done();
}

}  // namespace hone
