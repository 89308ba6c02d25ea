#include "measure/trace/snapshot.h"

#include <sys/stat.h>

namespace hone {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileSnapshot take_snapshot(const Path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};
  return {.exists = true,
          .device = facts.st_dev,
          .inode = facts.st_ino,
          .bytes = static_cast<std::uint64_t>(facts.st_size),
          .modified_ns = nanoseconds(facts.st_mtim),
          .changed_ns = nanoseconds(facts.st_ctim)};
}

std::uint64_t bytes_from_before(const FileSnapshot& before, const FileSnapshot& now) {
  if (!before.exists || !now.exists) return 0;
  if (before == now) return now.bytes;
  const bool is_same_file = before.device == now.device && before.inode == now.inode;
  return is_same_file && now.bytes > before.bytes ? before.bytes : 0;
}

}  // namespace hone
