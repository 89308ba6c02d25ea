// A plain folder, which may be a share: one folder per version, that appears as a whole.

#include <algorithm>

#include "base/folder.h"
#include "base/hash.h"
#include "base/misuse.h"
#include "catalog/choose.h"
#include "catalog/package_folder.h"
#include "catalog/package_version.h"
#include "catalog/publisher.h"

namespace hone::publishers {
namespace {

using Clock = std::chrono::steady_clock;

class FileDestination : public Destination {
 public:
  explicit FileDestination(Path root) : root_(std::move(root)) {}

  Status ready(Access access) override {
    std::error_code problem;
    if (access == Access::write) std::filesystem::create_directories(root_, problem);
    if (!std::filesystem::is_directory(root_, problem)) {
      return fail(Fault::not_found, "'" + root_.string() + "' is no folder", problem.message());
    }
    if (access == Access::read) return done();
    // What is made and given up again tells whether anything can be made.
    HONE_TRY_DO(NewFolder::create(root_ / ".writable"));
    return done();
  }

  Published publish(const Package& package, const PublishOptions& options) override {
    Published published;
    published.reference = "file://" + root_.string() + ":" + package.version;
    if (const Status put = publish_into(published, package, options); !put) {
      const bool is_late = put.error().fault == Fault::timeout;
      published.outcome = is_late ? PublishOutcome::timeout : PublishOutcome::failed;
      published.error = told(put.error());
    }
    return published;
  }

  Result<std::vector<std::string>> versions(std::string_view run_stamp) override {
    HONE_TRY(const std::vector<FolderEntry> entries, list_folder(root_));
    const std::string prefix = version_prefix(run_stamp);
    std::vector<std::string> found;
    for (const FolderEntry& entry : entries) {
      std::error_code ignored;
      const bool is_package =
          std::filesystem::is_regular_file(entry.path / package_manifest_name, ignored);
      if (is_version(entry.name) && entry.name.starts_with(prefix) && is_package)
        found.push_back(entry.name);
    }
    return found;
  }

  Result<std::map<std::string, std::string>> annotations(const std::string& version) override {
    if (!is_version(version)) return fail(Fault::bad_input, "'" + version + "' is no version");
    HONE_TRY(PackageManifest package, read_package(root_ / version));
    return std::move(package.annotations);
  }

  Result<Fetched> fetch(const std::string& version, const Path& into,
                        const FetchOptions& options) override {
    const Path folder = root_ / version;
    std::error_code ignored;
    if (!is_version(version) || !std::filesystem::exists(folder, ignored)) {
      return fail(Fault::not_found, "there is no '" + version + "' in '" + root_.string() + "'");
    }
    HONE_TRY(NewFolder made, NewFolder::create(into));
    HONE_TRY(const PackageManifest package, read_package(folder));
    HONE_TRY(const std::vector<PackageEntry> wanted, choose_files(package, options.files));
    HONE_TRY_DO(
        take_files(folder, wanted, made,
                   {.deadline = Clock::now() + options.timeout, .progress = options.progress}));
    HONE_TRY(const std::string digest, digest_there(version));
    HONE_TRY_DO(made.commit());
    return Fetched{.reference = "file://" + root_.string() + ":" + version,
                   .digest = digest,
                   .folder = into.string(),
                   .files = wanted};
  }

  Result<std::vector<std::string>> evidence(const std::string& version,
                                            const std::string& digest) override {
    if (!is_version(version)) return fail(Fault::bad_input, "'" + version + "' is no version");
    return read_evidence(root_ / version, digest);
  }

 private:
  Result<std::string> digest_there(const std::string& version) const {
    HONE_TRY(const std::string text, read_file(root_ / version / package_manifest_name));
    return "sha256:" + sha256(text).hex();
  }

  Status publish_into(Published& published, const Package& package,
                      const PublishOptions& options) const {
    HONE_TRY_DO(check_package(package));
    const Path folder = root_ / package.version;
    std::error_code ignored;
    if (std::filesystem::exists(folder, ignored)) return found(published, package, options);
    HONE_TRY(NewFolder made, NewFolder::create(folder));
    HONE_TRY_DO(
        write_package(package, made.path(),
                      {.deadline = Clock::now() + options.timeout, .progress = options.progress}));
    HONE_TRY_DO(made.commit());
    for (const PackageFile& file : package.files) published.bytes_sent += file.bytes;
    if (package.evidence) published.bytes_sent += package.evidence->bytes;
    published.blobs_sent = package.files.size() + (package.evidence ? 1 : 0);
    HONE_TRY(published.digest, digest_there(package.version));
    published.confirmed = true;
    published.outcome = PublishOutcome::uploaded;
    return done();
  }

  // The version is there: as it should be, or not.
  Status found(Published& published, const Package& package, const PublishOptions& options) const {
    const Path folder = root_ / package.version;
    HONE_TRY(published.digest, digest_there(package.version));
    HONE_TRY(const PackageManifest there, read_package(folder));
    if (is_same_package(there, package)) {
      HONE_TRY_DO(verify_package(folder, there));
      published.confirmed = true;
      for (const PackageEntry& entry : there.files) published.bytes_there += entry.bytes;
      published.blobs_there = there.files.size();
    } else {
      const std::string what = published.reference + " is there already, with other files";
      if (!options.skip_existing)
        return fail(Fault::runtime, what, {}, "publish under another run stamp");
      published.error = what;
    }
    published.outcome =
        options.skip_existing ? PublishOutcome::exists_skipped : PublishOutcome::uploaded;
    return done();
  }

  Path root_;
};

Result<std::unique_ptr<Destination>> open(std::string_view place, const PublisherSettings&) {
  if (!place.starts_with('/')) {
    return misuse("'file://" + std::string(place) + "' names no folder",
                  "file:///FOLDER, with three slashes: an absolute path");
  }
  return std::unique_ptr<Destination>(std::make_unique<FileDestination>(Path(place)));
}

}  // namespace

Publisher file() {
  return {.scheme = "file", .summary = "A plain folder", .form = "file:///FOLDER", .open = open};
}

}  // namespace hone::publishers
