#pragma once
// The cache of build stages that the cells of a sweep share. Its files are links to blobs of the
// store; once a blob is evicted they are all that keeps its bytes on the disk.

#include <chrono>
#include <cstdint>

#include "base/file.h"

namespace hone {

class StageCache {
 public:
  explicit StageCache(Path folder) : folder_(std::move(folder)) {}

  // Of files that nothing but the cache has.
  std::uint64_t unshared_bytes() const;

  // Removes the entries that nothing but the cache has, and that were made before this: younger
  // ones may be in the hands of a cell that is being built. What is lost can be made again.
  void drop_unshared(std::chrono::system_clock::time_point made_before) const;

 private:
  Path folder_;
};

}  // namespace hone
