#pragma once
// Whether a tracer's file belongs to the session that was traced. EPs append to a file that is
// there already, and leave it alone when they trace nothing; without a look before the session, the
// trace of an earlier one would be reported as this one's.

#include <cstdint>

#include "base/file.h"

namespace hone {

struct FileSnapshot {
  bool exists = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileSnapshot&) const = default;
};

// Of whatever the path names now; a path that cannot be looked at does not exist.
FileSnapshot take_snapshot(const Path& path);

// How many bytes at the start of the file were there before: all of them when nothing changed, none
// when it was made or written anew.
std::uint64_t bytes_from_before(const FileSnapshot& before, const FileSnapshot& now);

}  // namespace hone
