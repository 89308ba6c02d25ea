#pragma once
// Which files of a package are wanted.

#include <string>
#include <vector>

#include "base/result.h"
#include "record/publish.h"

namespace hone {

// Those with the given paths, or all where none is given. A path the package does not have is
// answered with the nearest it has.
Result<std::vector<PackageEntry>> choose_files(const PackageManifest& package,
                                               const std::vector<std::string>& paths);

std::uint64_t bytes_of(const std::vector<PackageEntry>& files);

}  // namespace hone
