#include "catalog/package_folder.h"

#include <algorithm>
#include <set>

#include "base/hash_file.h"
#include "base/json.h"

namespace hone {
namespace {

constexpr std::uint64_t most_manifest_bytes = std::uint64_t{16} << 20;

PackageEntry entry_of(const PackageFile& file) { return {file.path, file.sha256, file.bytes}; }

Failure no_package(const Path& folder, std::string why) {
  return fail(Fault::bad_input, "'" + folder.string() + "' holds no package", std::move(why));
}

Status check_digest(const Path& file, const PackageEntry& entry) {
  HONE_TRY(const Digest digest, hash_of_file(file));
  HONE_TRY(const std::uint64_t bytes, size_of_file(file));
  if (digest.hex() == entry.sha256 && bytes == entry.bytes) return done();
  return fail(Fault::runtime, "'" + entry.path + "' is not what its package promises",
              "its SHA-256 is " + digest.hex() + " instead of " + entry.sha256);
}

Status take_file(const Path& from, const Path& to, const PackageEntry& entry, Take take) {
  std::error_code problem;
  if (!std::filesystem::exists(from, problem))
    return fail(Fault::runtime, "'" + entry.path + "' is not what its package promises",
                "it is not there");
  std::filesystem::create_directories(to.parent_path(), problem);
  bool is_taken = false;
  if (take == Take::link) {
    std::filesystem::create_hard_link(from, to, problem);
    is_taken = !problem;
  }
  if (!is_taken) HONE_TRY_DO(clone_file(from, to));
  return check_digest(to, entry);
}

// One file: where from, where to, and what it should be.
struct Move {
  Path from;
  Path to;
  PackageEntry entry;
};

Status carry_out(const std::vector<Move>& moves, const TakeOptions& options) {
  std::uint64_t total = 0;
  for (const Move& move : moves) total += move.entry.bytes;
  std::uint64_t taken = 0;
  for (const Move& move : moves) {
    if (options.deadline && std::chrono::steady_clock::now() >= *options.deadline)
      return fail(Fault::timeout, "the time for this is over");
    HONE_TRY_DO(take_file(move.from, move.to, move.entry, options.take));
    taken += move.entry.bytes;
    if (options.progress) options.progress(taken, total);
  }
  return done();
}

PackageManifest manifest_of(const Package& package) {
  PackageManifest manifest;
  manifest.version = package.version;
  manifest.description = package.description;
  for (const PackageFile& file : package.files) manifest.files.push_back(entry_of(file));
  manifest.annotations = package.annotations;
  if (package.evidence) manifest.evidence = entry_of(*package.evidence);
  return manifest;
}

}  // namespace

std::string package_text(const Package& package) {
  return to_document(manifest_of(package), package_schema_version).dump() + "\n";
}

bool is_same_package(PackageManifest there, const Package& package) {
  PackageManifest ours = manifest_of(package);
  there.evidence.reset();
  ours.evidence.reset();
  return to_json(there).canonical() == to_json(ours).canonical();
}

Status write_package(const Package& package, const Path& folder, const TakeOptions& options) {
  std::vector<Move> moves;
  for (const PackageFile& file : package.files)
    moves.push_back({file.local, folder / package_files_name / file.path, entry_of(file)});
  if (package.evidence)
    moves.push_back(
        {package.evidence->local, folder / package_evidence_name, entry_of(*package.evidence)});
  HONE_TRY_DO(carry_out(moves, options));
  return write_file(folder / package_manifest_name, package_text(package));
}

Result<PackageManifest> read_package(const Path& folder) {
  HONE_TRY(const std::string text, read_file(folder / package_manifest_name, most_manifest_bytes));
  const auto document = Json::parse(text);
  if (!document) return no_package(folder, document.error().what);
  const auto package = from_document<PackageManifest>(*document, package_schema_version);
  if (!package) return no_package(folder, package.error().what);
  std::set<std::string> paths;
  for (const PackageEntry& entry : package->files) {
    HONE_TRY_DO(check_package_path(entry.path));
    if (!paths.insert(entry.path).second)
      return no_package(folder, "it has two files '" + entry.path + "'");
  }
  return *package;
}

Status verify_package(const Path& folder, const PackageManifest& package) {
  for (const PackageEntry& entry : package.files)
    HONE_TRY_DO(check_digest(folder / package_files_name / entry.path, entry));
  if (package.evidence)
    HONE_TRY_DO(check_digest(folder / package_evidence_name, *package.evidence));
  return done();
}

Result<std::vector<std::string>> read_evidence(const Path& folder, const std::string& digest) {
  HONE_TRY(const std::string text, read_file(folder / package_manifest_name, most_manifest_bytes));
  if (const std::string found = "sha256:" + sha256(text).hex(); found != digest)
    return fail(Fault::runtime, "the package is not the one that was fetched",
                "its SHA-256 is " + found + " instead of " + digest);
  HONE_TRY(const PackageManifest package, read_package(folder));
  if (!package.evidence) return std::vector<std::string>();
  const PackageEntry promised = {package_evidence_name, package.evidence->sha256,
                                 package.evidence->bytes};
  if (promised.bytes > most_evidence_bytes)
    return fail(Fault::runtime, "the evidence is too large",
                std::to_string(promised.bytes) + " bytes");
  const Path file = folder / package_evidence_name;
  std::error_code problem;
  if (!std::filesystem::exists(file, problem))
    return fail(Fault::runtime, "the evidence is not there", "its package promises it");
  HONE_TRY_DO(check_digest(file, promised));
  HONE_TRY(std::string evidence, read_file(file, most_evidence_bytes));
  return std::vector<std::string>{std::move(evidence)};
}

Status take_files(const Path& folder, const std::vector<PackageEntry>& wanted,
                  const NewFolder& into, const TakeOptions& options) {
  std::vector<Move> moves;
  for (const PackageEntry& entry : wanted) {
    HONE_TRY(const Path place, into.place_for(entry.path));
    moves.push_back({folder / package_files_name / entry.path, place, entry});
  }
  return carry_out(moves, options);
}

}  // namespace hone
