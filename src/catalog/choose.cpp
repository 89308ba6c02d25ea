#include "catalog/choose.h"

#include <algorithm>

#include "base/text.h"

namespace hone {
namespace {

Failure no_such_file(const PackageManifest& package, const std::string& path) {
  std::vector<std::string> there;
  for (const PackageEntry& entry : package.files) there.push_back(entry.path);
  const std::string meant = nearest(path, there);
  if (there.size() > 10) there.resize(10);
  return fail(Fault::not_found,
              "the package has no file '" + path + "'" +
                  (meant.empty() ? "" : "; did you mean '" + meant + "'?"),
              {}, "it has " + join(there, ", "));
}

}  // namespace

Result<std::vector<PackageEntry>> choose_files(const PackageManifest& package,
                                               const std::vector<std::string>& paths) {
  if (paths.empty()) return package.files;
  std::vector<PackageEntry> chosen;
  for (const std::string& path : paths) {
    const auto found = std::ranges::find(package.files, path, &PackageEntry::path);
    if (found == package.files.end()) return no_such_file(package, path);
    const bool is_new = std::ranges::find(chosen, path, &PackageEntry::path) == chosen.end();
    if (is_new) chosen.push_back(*found);
  }
  return chosen;
}

std::uint64_t bytes_of(const std::vector<PackageEntry>& files) {
  std::uint64_t bytes = 0;
  for (const PackageEntry& file : files) bytes += file.bytes;
  return bytes;
}

}  // namespace hone
