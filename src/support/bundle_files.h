#pragma once
// The folder of a bundle before a byte of it is read: what lies in it, and of what kind.

#include <cstdint>
#include <map>
#include <string>

#include "base/file.h"

namespace hone {

struct BundleFiles {
  std::map<std::string, std::uint64_t> sizes;   // of regular files, by their path in the folder
  std::map<std::string, std::string> problems;  // what may not be there: links, pipes, too much
};

// Follows no link and opens no file.
Result<BundleFiles> list_bundle(const Path& folder);

}  // namespace hone
