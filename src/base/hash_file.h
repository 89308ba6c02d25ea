#pragma once
// SHA-256 of files, read once from start to end in large pieces and never mapped: a file that
// shrinks meanwhile is an error and not the end of the process. The one way to hash a file.

#include <cstdint>
#include <functional>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/result.h"

namespace hone {

// Called with the bytes that were hashed since the last call.
using HashedBytes = std::function<void(std::uint64_t bytes)>;

// Of a regular file; anything else is refused.
Result<Digest> hash_of_file(const Path& path);
// Of `relative` below `folder`, by the rules of map_file_inside().
Result<Digest> hash_of_file_inside(const Path& folder, const Path& relative);
// Of all that can be read from a descriptor at its position on. `path` is for messages.
Result<Digest> hash_of_descriptor(int descriptor, const Path& path, const HashedBytes& hashed = {});

// Of each of the files, in their order, by as many threads as there are CPUs.
std::vector<Result<Digest>> hash_of_files(const std::vector<Path>& paths,
                                          const ByteProgress& progress = {});

// Files by their bytes, whatever they are called: the digest of each becomes a field of `hash`.
Status add_files(Sha256& hash, const std::vector<Path>& files);
// A file by its bytes; a folder by the names and the bytes of all files below it.
Status add_contents(Sha256& hash, const Path& file_or_folder);

}  // namespace hone
