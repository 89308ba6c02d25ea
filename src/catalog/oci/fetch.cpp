#include "catalog/oci/fetch.h"

#include "base/hash.h"
#include "catalog/choose.h"
#include "catalog/new_folder.h"
#include "catalog/oci/evidence.h"
#include "catalog/oci/manifest.h"

namespace hone::oci {
namespace {

Failure not_as_promised(const PackageEntry& entry, const std::string& why) {
  return fail(Fault::runtime, "'" + entry.path + "' is not what its manifest promises", why);
}

// One attempt at one file; it gets its name once its digest is the promised one.
Result<HttpResponse> fetch_once(Registry& registry, const PackageEntry& entry, const Path& place,
                                const std::function<void(std::uint64_t)>& on_bytes) {
  HONE_TRY(AtomicFile file, AtomicFile::create(place));
  Sha256 hash;
  HttpRequest request{.url = registry.url("blobs/sha256:" + entry.sha256)};
  request.most_bytes = entry.bytes;
  // Registries keep blobs elsewhere, and send us there.
  request.redirects = 5;
  request.sink = [&](std::string_view bytes) -> Status {
    hash.add(bytes);
    const Status written = file.append(bytes);
    if (!written)
      return fail(Fault::runtime, written.error().what, written.error().cause,
                  written.error().hint);
    on_bytes(file.size());
    return done();
  };
  HONE_TRY(HttpResponse response, registry.ask_once(std::move(request)));
  if (!response.is_success()) return response;
  if (file.size() != entry.bytes)
    return not_as_promised(entry, "it has " + std::to_string(file.size()) + " bytes instead of " +
                                      std::to_string(entry.bytes));
  if (const std::string digest = hash.finish().hex(); digest != entry.sha256)
    return not_as_promised(entry, "its SHA-256 is " + digest + " instead of " + entry.sha256);
  HONE_TRY_DO(file.commit());
  return response;
}

Status fetch_file(Registry& registry, const PackageEntry& entry, const Path& place,
                  const std::function<void(std::uint64_t)>& on_bytes) {
  for (int attempt = 1;; ++attempt) {
    const auto response = fetch_once(registry, entry, place, on_bytes);
    if (response && response->is_success()) return done();
    const bool may_pass = response ? is_passing(*response) : is_transient(response.error());
    if (may_pass && registry.may_try_again(attempt)) continue;
    if (response && response->status == 404) return not_as_promised(entry, "it is not there");
    if (response) return refused("cannot get '" + entry.path + "'", *response);
    return fail(response.error());
  }
}

Result<std::string> manifest_named(Registry& registry, const std::string& name) {
  HONE_TRY(const std::optional<std::string> text, get_manifest(registry, name));
  if (!text) {
    return fail(Fault::not_found, "there is no '" + name + "' in " + registry.repository().name, {},
                "look at the name of the repository and at the version");
  }
  if (is_digest(name) && digest_of(*text) != name)
    return fail(Fault::runtime, "the registry answers with another manifest",
                digest_of(*text) + " instead of " + name);
  return *text;
}

}  // namespace

Result<Fetched> fetch_package(Registry& registry, const std::string& name, const Path& into,
                              const FetchOptions& options) {
  HONE_TRY(NewFolder folder, NewFolder::create(into));
  HONE_TRY(const std::string text, manifest_named(registry, name));
  HONE_TRY(const PackageManifest package, read_manifest(text));
  HONE_TRY(const std::vector<PackageEntry> wanted, choose_files(package, options.files));
  const std::uint64_t total = bytes_of(wanted);
  std::uint64_t before = 0;
  const auto on_bytes = [&](std::uint64_t bytes) {
    if (options.progress) options.progress(before + bytes, total);
  };
  for (const PackageEntry& entry : wanted) {
    HONE_TRY(const Path place, folder.place_for(entry.path));
    HONE_TRY_DO(fetch_file(registry, entry, place, on_bytes));
    before += entry.bytes;
  }
  HONE_TRY_DO(folder.commit());
  return Fetched{
      .reference = {}, .digest = digest_of(text), .folder = into.string(), .files = wanted};
}

}  // namespace hone::oci
