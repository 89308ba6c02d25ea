#include "base/remains.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "base/folder.h"

namespace hone {
namespace {

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool is_still(const Path& path, int descriptor) {
  struct stat there {};
  struct stat ours {};
  if (::lstat(path.c_str(), &there) != 0 || ::fstat(descriptor, &ours) != 0) return false;
  return there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

}  // namespace

bool hold(int descriptor, const Path& path) {
  const bool is_lost = !lock(descriptor) && errno == EWOULDBLOCK;
  return !is_lost && is_still(path, descriptor);
}

bool remove_remains_at(const Path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return errno != ENOENT;
  struct stat facts {};
  const bool is_file = ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
  // Who has the lock of a file that still has its name is the only one to take that from it.
  if (is_file && lock(file.get()) && is_still(path, file.get())) ::unlink(path.c_str());
  return true;
}

Descriptor hold_folder(const Path& folder) {
  Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return file && lock(file.get()) ? std::move(file) : Descriptor();
}

std::optional<HeldFolder> make_held_folder(const Path& start) {
  while (true) {
    std::string name = start.string() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return std::nullopt;
    HeldFolder made{name, hold_folder(name)};
    // Between the two calls somebody may have taken it for a remain.
    struct stat facts {};
    if (::lstat(name.c_str(), &facts) == 0) return made;
  }
}

void remove_folders_left(const Path& start) {
  const Path parent = start.has_parent_path() ? start.parent_path() : Path(".");
  const auto entries = list_folder(parent);
  std::error_code ignored;
  for (const FolderEntry& entry : entries ? *entries : std::vector<FolderEntry>()) {
    const bool is_left = entry.name.starts_with(start.filename().string());
    if (!is_left || entry.is_link() || !entry.is_folder()) continue;
    if (const Descriptor held = hold_folder(entry.path); held)
      std::filesystem::remove_all(entry.path, ignored);
  }
}

}  // namespace hone
