#pragma once
// Zip archives, as far as .npz files need them: stored and deflated entries, zip64 sizes. Archives
// are not trusted.

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/result.h"

namespace hone {

struct ZipEntry {
  std::string name;
  Blob bytes;  // a view into the archive when the entry is stored, else inflated
};

// Entries in the order of the archive's directory. An entry may not inflate to more than
// `max_entry_bytes`.
Result<std::vector<ZipEntry>> read_zip(const Blob& archive,
                                       std::uint64_t max_entry_bytes = std::uint64_t{4} << 30);

// Stored entries only; atomically.
Status write_zip(const Path& path, const std::vector<ZipEntry>& entries);

}  // namespace hone
