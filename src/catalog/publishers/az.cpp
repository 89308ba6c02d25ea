// Azure Artifacts: a package is a universal package, sent and fetched by the `az` program.

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "catalog/az/feed.h"
#include "catalog/choose.h"
#include "catalog/package_folder.h"
#include "catalog/package_version.h"
#include "catalog/publisher.h"

namespace hone::publishers {
namespace {

// A path that az would take for a pattern is fetched with everything else.
bool is_pattern(std::string_view path) {
  return path.find_first_of("*?[]{}()!,|+@#") != std::string_view::npos;
}

class AzDestination : public Destination {
 public:
  AzDestination(az::Feed feed, std::string address, Path scratch)
      : feed_(std::move(feed)), address_(std::move(address)), scratch_(std::move(scratch)) {}

  Status ready(Access) override { return az::check_ready(feed_); }

  Published publish(const Package& package, const PublishOptions& options) override {
    Published published;
    published.reference = address_ + ":" + package.version;
    if (const Status sent = publish_into(published, package, options); !sent)
      published.error = told(sent.error());
    return published;
  }

  Result<std::vector<std::string>> versions(std::string_view run_stamp) override {
    HONE_TRY(std::vector<std::string> all, az::list_versions(feed_));
    const std::string prefix = version_prefix(run_stamp);
    std::erase_if(all, [&](const std::string& v) { return !lowercase(v).starts_with(prefix); });
    std::ranges::sort(all);
    return all;
  }

  Result<std::map<std::string, std::string>> annotations(const std::string& version) override {
    if (!is_version(version)) return fail(Fault::bad_input, "'" + version + "' is no version");
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("az"));
    HONE_TRY_DO(download(version, folder.path(), package_manifest_name, std::chrono::minutes(3)));
    HONE_TRY(PackageManifest package, read_package(folder.path()));
    return std::move(package.annotations);
  }

  Result<Fetched> fetch(const std::string& version, const Path& into,
                        const FetchOptions& options) override {
    if (!is_version(version)) return fail(Fault::bad_input, "'" + version + "' is no version");
    HONE_TRY(NewFolder made, NewFolder::create(into));
    HONE_TRY(const NewFolder staged, NewFolder::create(into.string() + ".download"));
    HONE_TRY_DO(download(version, staged.path(), package_manifest_name, options.timeout));
    HONE_TRY(const PackageManifest package, read_package(staged.path()));
    HONE_TRY(const std::vector<PackageEntry> wanted, choose_files(package, options.files));
    HONE_TRY_DO(download_files(version, staged.path(), wanted, options));
    HONE_TRY_DO(take_files(staged.path(), wanted, made,
                           {.take = Take::link, .progress = options.progress}));
    HONE_TRY(const std::string text, read_file(staged.path() / package_manifest_name));
    HONE_TRY_DO(made.commit());
    return Fetched{.reference = address_ + ":" + version,
                   .digest = "sha256:" + sha256(text).hex(),
                   .folder = into.string(),
                   .files = wanted};
  }

  Result<std::vector<std::string>> evidence(const std::string& version,
                                            const std::string& digest) override {
    if (!is_version(version)) return fail(Fault::bad_input, "'" + version + "' is no version");
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("az"));
    const auto get = [&](const char* name) {
      return download(version, folder.path(), name, std::chrono::minutes(3));
    };
    HONE_TRY_DO(get(package_manifest_name));
    HONE_TRY(const PackageManifest package, read_package(folder.path()));
    if (package.evidence) HONE_TRY_DO(get(package_evidence_name));
    return read_evidence(folder.path(), digest);
  }

 private:
  Status publish_into(Published& published, const Package& package,
                      const PublishOptions& options) const {
    HONE_TRY_DO(check_package(package));
    std::error_code problem;
    std::filesystem::create_directories(scratch_, problem);
    if (problem)
      return fail(Fault::io, "cannot make '" + scratch_.string() + "'", problem.message());
    HONE_TRY(const NewFolder staged, NewFolder::create(scratch_ / ("hone-" + package.version)));
    HONE_TRY_DO(write_package(package, staged.path(), {.take = Take::link}));
    const std::string description =
        package.description.empty() ? package.version : package.description;
    const az::End end =
        az::run(feed_, az::publish_words(feed_, package.version, staged.path(), description),
                options.timeout);
    published.outcome = az::classify(end, options.skip_existing);
    if (published.outcome == PublishOutcome::uploaded) count(published, package);
    const bool is_there = published.outcome == PublishOutcome::uploaded ||
                          published.outcome == PublishOutcome::exists_skipped;
    if (!is_there) published.error = end.tail;
    return is_there ? confirm(published, package) : done();
  }

  static void count(Published& published, const Package& package) {
    for (const PackageFile& file : package.files) published.bytes_sent += file.bytes;
    published.blobs_sent = package.files.size();
  }

  // az tells no digest, but the package has a list of them that can be asked for.
  Status confirm(Published& published, const Package& package) const {
    HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("az"));
    HONE_TRY_DO(
        download(package.version, folder.path(), package_manifest_name, std::chrono::minutes(3)));
    HONE_TRY(const std::string text, read_file(folder.path() / package_manifest_name));
    published.digest = "sha256:" + sha256(text).hex();
    HONE_TRY(PackageManifest there, read_package(folder.path()));
    published.confirmed = is_same_package(std::move(there), package);
    if (!published.confirmed) published.error = published.reference + " is there with other files";
    return done();
  }

  Status download(const std::string& version, const Path& folder, const std::string& filter,
                  std::chrono::milliseconds timeout) const {
    const az::End end = az::run(feed_, az::download_words(feed_, version, folder, filter), timeout);
    if (end.exit_code == 0 && !end.timed_out) return done();
    return fail(end.timed_out ? Fault::timeout : Fault::runtime,
                "cannot get " + address_ + ":" + version, end.tail,
                az::is_unavailable(end) ? "az login" : "");
  }

  Status download_files(const std::string& version, const Path& folder,
                        const std::vector<PackageEntry>& wanted,
                        const FetchOptions& options) const {
    const bool one_by_one =
        !options.files.empty() && std::ranges::none_of(wanted, [](const PackageEntry& entry) {
          return is_pattern(entry.path);
        });
    if (!one_by_one) return download(version, folder, "", options.timeout);
    for (const PackageEntry& entry : wanted) {
      const std::string path = std::string(package_files_name) + "/" + entry.path;
      HONE_TRY_DO(download(version, folder, path, options.timeout));
    }
    return done();
  }

  az::Feed feed_;
  std::string address_;
  Path scratch_;
};

Result<std::unique_ptr<Destination>> open(std::string_view place,
                                          const PublisherSettings& settings) {
  HONE_TRY(az::Feed feed, az::parse_feed(place, settings.az, settings.package_name));
  const Path scratch =
      settings.scratch.empty() ? std::filesystem::temp_directory_path() : settings.scratch;
  // With the package, wherever its name came from: who has the reference finds it again.
  std::string address =
      "az://" + feed.organization + "/" + feed.project + "/" + feed.feed + "/" + feed.package;
  return std::unique_ptr<Destination>(
      std::make_unique<AzDestination>(std::move(feed), std::move(address), scratch));
}

Result<std::string> package_of(std::string_view place, const std::string& otherwise) {
  HONE_TRY(const az::Feed feed, az::parse_feed(place, PublisherSettings().az, otherwise));
  return feed.package;
}

}  // namespace

Publisher az() {
  return {.scheme = "az",
          .summary = "A feed of Azure Artifacts, through the az program",
          .form = "az://ORGANIZATION/PROJECT/FEED[/PACKAGE]",
          .open = open,
          .package_of = package_of};
}

}  // namespace hone::publishers
