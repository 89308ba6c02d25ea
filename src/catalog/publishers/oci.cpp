// Any registry that speaks the OCI distribution spec: a package is an artifact manifest whose
// layers are its files, so what two packages share travels once.

#include <algorithm>
#include <set>

#include "base/text.h"
#include "catalog/oci/evidence.h"
#include "catalog/oci/fetch.h"
#include "catalog/oci/manifest.h"
#include "catalog/oci/registry.h"
#include "catalog/oci/tags.h"
#include "catalog/oci/upload.h"
#include "catalog/package_version.h"
#include "catalog/publisher.h"

namespace hone::publishers {
namespace {

// The blobs of a package, each once.
std::vector<oci::BlobSource> blobs_of(const Package& package) {
  std::vector<oci::BlobSource> blobs;
  std::set<std::string> seen;
  const auto add = [&](oci::BlobSource blob) {
    if (seen.insert(blob.digest).second) blobs.push_back(std::move(blob));
  };
  const auto add_file = [&](const PackageFile& file) {
    add({"sha256:" + file.sha256, file.bytes, file.local});
  };
  for (const PackageFile& file : package.files) add_file(file);
  if (package.evidence) add_file(*package.evidence);
  add({oci::digest_of(oci::empty_config), oci::empty_config.size(),
       std::string(oci::empty_config)});
  return blobs;
}

class OciDestination : public Destination {
 public:
  OciDestination(oci::Registry registry, const PublisherSettings& settings, std::string address)
      : registry_(std::move(registry)),
        upload_{settings.chunk_bytes, settings.mount_from},
        address_(std::move(address)) {}

  Status ready(Access access) override {
    registry_.set_deadline(std::chrono::minutes(3));
    Url home = registry_.repository().home;
    home.target = "/v2/";
    HONE_TRY(const HttpResponse response, registry_.ask({.url = home}));
    if (response.status == 404)
      return fail(Fault::bad_input, "'" + home.authority() + "' is no registry",
                  "it does not answer at /v2/");
    if (!response.is_success()) return oci::refused("cannot use " + address_, response);
    return access == Access::write ? may_write() : may_read();
  }

  Published publish(const Package& package, const PublishOptions& options) override {
    registry_.set_deadline(options.timeout);
    Published published;
    published.reference = address_ + ":" + oci::tag_of(package.version);
    if (const Status sent = publish_into(published, package, options); !sent) {
      published.outcome = outcome_of(sent.error());
      published.error = told(sent.error());
    }
    return published;
  }

  Result<std::vector<std::string>> versions(std::string_view run_stamp) override {
    registry_.set_deadline(std::chrono::minutes(3));
    HONE_TRY(std::vector<std::string> tags, oci::list_tags(registry_, version_prefix(run_stamp)));
    std::ranges::sort(tags);
    return tags;
  }

  Result<std::map<std::string, std::string>> annotations(const std::string& version) override {
    registry_.set_deadline(std::chrono::minutes(3));
    HONE_TRY(const auto text, oci::get_manifest(registry_, oci::tag_of(version)));
    if (!text) return fail(Fault::not_found, address_ + ":" + version + " is not there");
    HONE_TRY(PackageManifest package, oci::read_manifest(*text));
    return std::move(package.annotations);
  }

  Result<Fetched> fetch(const std::string& version, const Path& into,
                        const FetchOptions& options) override {
    registry_.set_deadline(options.timeout);
    const bool by_digest = oci::is_digest(version);
    const std::string name = by_digest ? version : oci::tag_of(version);
    HONE_TRY(Fetched fetched, oci::fetch_package(registry_, name, into, options));
    fetched.reference = address_ + (by_digest ? "@" : ":") + name;
    return fetched;
  }

  Result<std::vector<std::string>> evidence(const std::string&,
                                            const std::string& digest) override {
    registry_.set_deadline(std::chrono::minutes(3));
    return oci::fetch_evidence(registry_, digest);
  }

 private:
  // That the registry knows us does not yet open this repository.
  Status may_read() {
    HONE_TRY(const HttpResponse response, registry_.ask({.url = registry_.url("tags/list?n=1")}));
    if (registry_.was_denied()) return oci::refused("cannot read from " + address_, response);
    return done();
  }

  // Begins an upload and gives it up again: what else would tell before there is something to send?
  Status may_write() {
    const Url url = registry_.url("blobs/uploads/");
    HONE_TRY(const HttpResponse begun, registry_.ask({.method = "POST", .url = url}));
    if (begun.status != 202) return oci::refused("cannot write to " + address_, begun);
    const auto location = resolve_url(url, begun.header("Location"));
    if (location) (void)registry_.ask_once({.method = "DELETE", .url = *location});
    return done();
  }

  Status publish_into(Published& published, const Package& package, const PublishOptions& options) {
    HONE_TRY_DO(check_package(package));
    const std::string text = oci::manifest_text(package);
    const std::string tag = oci::tag_of(package.version);
    HONE_TRY(const std::optional<std::string> there, oci::get_manifest(registry_, tag));
    if (there) return found(published, text, *there, options);
    HONE_TRY_DO(send_blobs(published, package, options));
    const oci::Descriptor subject{std::string(oci::manifest_type), oci::digest_of(text),
                                  text.size()};
    // Before the tag: who sees the package sees its evidence.
    if (package.evidence) HONE_TRY_DO(oci::attach_evidence(registry_, *package.evidence, subject));
    HONE_TRY_DO(oci::put_manifest(registry_, tag, oci::manifest_type, text));
    HONE_TRY_DO(confirm(published, tag, text));
    published.outcome = PublishOutcome::uploaded;
    return done();
  }

  // The version is there: with these bytes, or with others.
  Status found(Published& published, const std::string& ours, const std::string& theirs,
               const PublishOptions& options) const {
    published.digest = oci::digest_of(theirs);
    published.confirmed = theirs == ours;
    if (!published.confirmed) {
      const std::string what = published.reference + " is there already, with other files";
      if (!options.skip_existing)
        return fail(Fault::runtime, what, published.digest + " instead of " + oci::digest_of(ours),
                    "publish under another run stamp, or leave alone what is there");
      published.error = what;
    }
    published.outcome =
        options.skip_existing ? PublishOutcome::exists_skipped : PublishOutcome::uploaded;
    return done();
  }

  Status send_blobs(Published& published, const Package& package, const PublishOptions& options) {
    const std::vector<oci::BlobSource> blobs = blobs_of(package);
    std::uint64_t total = 0;
    for (const oci::BlobSource& blob : blobs) total += blob.bytes;
    std::uint64_t before = 0;
    oci::Uploader uploader(registry_, upload_, published, [&](std::uint64_t bytes) {
      if (options.progress) options.progress(before + bytes, total);
    });
    for (const oci::BlobSource& blob : blobs) {
      HONE_TRY_DO(uploader.put(blob));
      before += blob.bytes;
    }
    return done();
  }

  // Asks for what was put, and reads it.
  Status confirm(Published& published, const std::string& tag, const std::string& text) {
    HONE_TRY(const std::optional<std::string> there, oci::get_manifest(registry_, tag));
    if (!there || *there != text) {
      return fail(Fault::runtime, published.reference + " is not there as it was put",
                  there ? "it has " + oci::digest_of(*there) : "nothing is there");
    }
    published.digest = oci::digest_of(text);
    published.confirmed = true;
    return done();
  }

  PublishOutcome outcome_of(const Error& error) const {
    if (registry_.was_denied()) return PublishOutcome::auth_abort;
    const bool is_late = error.fault == Fault::timeout || registry_.is_late();
    return is_late ? PublishOutcome::timeout : PublishOutcome::failed;
  }

  oci::Registry registry_;
  oci::UploadSettings upload_;
  std::string address_;
};

Result<std::unique_ptr<Destination>> open(std::string_view place,
                                          const PublisherSettings& settings) {
  HONE_TRY(oci::Repository repository, oci::parse_repository(place));
  for (const std::string& from : settings.mount_from) {
    if (!oci::is_repository_name(from))
      return fail(Fault::bad_input, "'" + from + "' is no name of a repository");
  }
  HONE_TRY(std::optional<oci::Credentials> credentials,
           oci::docker_credentials(settings.docker_config, repository.home.authority()));
  oci::Registry registry(std::move(repository), std::move(credentials), settings);
  return std::unique_ptr<Destination>(std::make_unique<OciDestination>(
      std::move(registry), settings, "oci://" + std::string(place)));
}

}  // namespace

Publisher oci() {
  return {.scheme = "oci",
          .summary = "A registry for containers and artifacts",
          .form = "oci://HOST[:PORT]/REPOSITORY",
          .open = open};
}

}  // namespace hone::publishers
