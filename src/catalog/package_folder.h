#pragma once
// A package as a folder: package.json, files/, and evidence.json where there is evidence. What
// plain folders hold, and what is sent to places that know packages only as folders.

#include "base/file.h"
#include "base/progress.h"
#include "catalog/new_folder.h"
#include "catalog/publisher.h"

namespace hone {

inline constexpr auto package_manifest_name = "package.json";
inline constexpr auto package_files_name = "files";
inline constexpr auto package_evidence_name = "evidence.json";

// The text of package.json: the same for the same package.
std::string package_text(const Package& package);

// The same files that were made of the same things. Evidence is not compared: it tells of one build
// and its moment.
bool is_same_package(PackageManifest there, const Package& package);

// A link shares the bytes with the file it was made from; either way they are read and compared
// with the digest before this returns.
enum class Take { copy, link };

// Fills the folder. Fault::timeout where the deadline passes between two files.
struct TakeOptions {
  Take take = Take::copy;
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  ByteProgress progress{};
};
Status write_package(const Package& package, const Path& folder, const TakeOptions& options);

// package.json of a folder. Paths, digests and the version's form are checked; files are not
// looked at.
Result<PackageManifest> read_package(const Path& folder);

// Every file of the package is there with the digest it was promised with.
Status verify_package(const Path& folder, const PackageManifest& package);

// The bytes of evidence.json, held to what package.json promises; nothing where it promises none.
// Fails where package.json has another digest ("sha256:...") than the one given.
Result<std::vector<std::string>> read_evidence(const Path& folder, const std::string& digest);

// The wanted files of a package's folder, into the new one.
Status take_files(const Path& folder, const std::vector<PackageEntry>& wanted,
                  const NewFolder& into, const TakeOptions& options);

}  // namespace hone
