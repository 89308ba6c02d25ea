#include "catalog/oci/evidence.h"

#include <algorithm>

namespace hone::oci {
namespace {

constexpr std::uint64_t most_manifest_bytes = std::uint64_t{4} << 20;
constexpr int most_pages = 100;
constexpr std::size_t most_evidence = 16;  // each is checked on its own

// "sha256-..." for "sha256:...".
std::string referrers_tag(std::string tag) {
  std::ranges::replace(tag, ':', '-');
  return tag;
}

Result<bool> lists_referrers(Registry& registry, const std::string& digest) {
  HONE_TRY(const HttpResponse response, registry.ask({.url = registry.url("referrers/" + digest)}));
  return response.is_success();
}

Result<Json::Array> listed_referrers(Registry& registry, const std::string& tag) {
  HONE_TRY(const std::optional<std::string> text, get_manifest(registry, tag));
  if (!text) return Json::Array{};
  const auto index = Json::parse(*text);
  const Json* list = index ? index->find("manifests") : nullptr;
  if (list == nullptr || list->as_array() == nullptr)
    return fail(Fault::runtime, "cannot tell what is attached",
                "'" + tag + "' is no list of referrers");
  return *list->as_array();
}

Status add_to_list(Registry& registry, const Descriptor& referrer, const std::string& subject) {
  const std::string tag = referrers_tag(subject);
  HONE_TRY(Json::Array list, listed_referrers(registry, tag));
  const bool is_listed = std::ranges::any_of(list, [&](const Json& entry) {
    const Json* digest = entry.find("digest");
    return digest != nullptr && *digest == Json(referrer.digest);
  });
  if (is_listed) return done();
  list.push_back(json_of(referrer));
  Json index = Json::object();
  index.set("schemaVersion", 2).set("mediaType", index_type).set("manifests", std::move(list));
  HONE_TRY_DO(put_manifest(registry, tag, index_type, index.dump(-1)));
  return done();
}

Failure no_evidence(std::string why) {
  return fail(Fault::runtime, "what is attached as evidence is none", std::move(why));
}

// What the registry lists by itself; nothing where it does not.
Result<std::optional<Json::Array>> known_referrers(Registry& registry, const std::string& subject) {
  Json::Array all;
  std::optional<Url> page =
      registry.url("referrers/" + subject + "?artifactType=" + percent_encoded(evidence_type));
  for (int i = 0; page; ++i) {
    if (i == most_pages) return no_evidence("the list of referrers has no end");
    HttpRequest request{.url = *page};
    request.most_bytes = most_manifest_bytes;
    HONE_TRY(const HttpResponse response, registry.ask(request));
    if (response.status == 404) return std::optional<Json::Array>{};
    if (!response.is_success()) return refused("cannot ask for evidence", response);
    const auto index = Json::parse(response.body);
    const Json* list = index ? index->find("manifests") : nullptr;
    if (list == nullptr || list->as_array() == nullptr)
      return no_evidence("the answer is no list of referrers");
    all.insert(all.end(), list->as_array()->begin(), list->as_array()->end());
    HONE_TRY(page, next_page(response, *page));
  }
  return std::optional(std::move(all));
}

// A registry need not filter by type, and others attach other things.
Result<std::vector<Descriptor>> evidence_among(const Json::Array& referrers) {
  std::vector<Descriptor> found;
  for (const Json& entry : referrers) {
    HONE_TRY(Descriptor descriptor, read_descriptor(entry));
    if (descriptor.artifact_type == evidence_type) found.push_back(std::move(descriptor));
  }
  if (found.size() > most_evidence) return no_evidence("there are more than can be read");
  return found;
}

// The one layer of a manifest that attaches evidence to the subject.
Result<Descriptor> read_evidence_manifest(const std::string& text, const std::string& subject) {
  const auto manifest = Json::parse(text);
  if (!manifest) return no_evidence(manifest.error().what);
  const Json* type = manifest->find("artifactType");
  if (type == nullptr || *type != Json(evidence_type))
    return no_evidence("its manifest is of another type");
  const Json* about = manifest->find("subject");
  const auto subject_there =
      about != nullptr ? read_descriptor(*about) : Result<Descriptor>(fail({}));
  if (!subject_there || subject_there->digest != subject)
    return no_evidence("it is about another package");
  const Json* layers = manifest->find("layers");
  const Json::Array* list = layers != nullptr ? layers->as_array() : nullptr;
  if (list == nullptr || list->size() != 1) return no_evidence("it is not one file");
  HONE_TRY(Descriptor layer, read_descriptor(list->front()));
  if (layer.media_type != evidence_file_type) return no_evidence("its file is no JSON");
  if (layer.size > most_evidence_bytes) return no_evidence("it is too large");
  return layer;
}

Result<std::string> fetch_one(Registry& registry, const Descriptor& referrer,
                              const std::string& subject) {
  HONE_TRY(const std::optional<std::string> text, get_manifest(registry, referrer.digest));
  if (!text) return no_evidence("it is listed and not there");
  if (digest_of(*text) != referrer.digest) return no_evidence("its manifest has another digest");
  HONE_TRY(const Descriptor layer, read_evidence_manifest(*text, subject));
  HttpRequest request{.url = registry.url("blobs/" + layer.digest)};
  request.most_bytes = layer.size;
  request.redirects = 5;
  HONE_TRY(HttpResponse response, registry.ask(request));
  if (!response.is_success()) return refused("cannot get the evidence", response);
  if (digest_of(response.body) != layer.digest) return no_evidence("its bytes have another digest");
  return std::move(response.body);
}

}  // namespace

Result<std::vector<std::string>> fetch_evidence(Registry& registry, const std::string& subject) {
  HONE_TRY(std::optional<Json::Array> referrers, known_referrers(registry, subject));
  if (!referrers) {
    HONE_TRY(referrers, listed_referrers(registry, referrers_tag(subject)));
  }
  HONE_TRY(const std::vector<Descriptor> found, evidence_among(*referrers));
  std::vector<std::string> texts;
  for (const Descriptor& referrer : found) {
    HONE_TRY(std::string text, fetch_one(registry, referrer, subject));
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<HttpResponse> put_manifest(Registry& registry, const std::string& name,
                                  std::string_view media_type, const std::string& text) {
  HttpRequest request{.method = "PUT", .url = registry.url("manifests/" + name)};
  request.headers = {{"Content-Type", std::string(media_type)}};
  request.body = text;
  HONE_TRY(HttpResponse response, registry.ask(request));
  if (!response.is_success()) return refused("cannot put the manifest '" + name + "'", response);
  const std::string_view digest = response.header("Docker-Content-Digest");
  if (!digest.empty() && digest != digest_of(text)) {
    return fail(Fault::runtime, "the registry has another manifest than was sent",
                "it says " + std::string(digest.substr(0, 80)) + " of " + digest_of(text));
  }
  return response;
}

Result<std::optional<std::string>> get_manifest(Registry& registry, const std::string& name) {
  HttpRequest request{.url = registry.url("manifests/" + name)};
  request.headers = {{"Accept", std::string(manifest_type) + ", " + std::string(index_type)}};
  request.most_bytes = most_manifest_bytes;
  request.redirects = 3;
  HONE_TRY(HttpResponse response, registry.ask(request));
  if (response.status == 404) return std::optional<std::string>{};
  if (!response.is_success()) return refused("cannot get the manifest '" + name + "'", response);
  return std::optional(std::move(response.body));
}

Status attach_evidence(Registry& registry, const PackageFile& evidence, const Descriptor& subject) {
  const std::string text = evidence_text(evidence, subject);
  const Descriptor referrer{std::string(manifest_type), digest_of(text), text.size(),
                            std::string(evidence_type)};
  HONE_TRY(const HttpResponse put, put_manifest(registry, referrer.digest, manifest_type, text));
  if (!put.header("OCI-Subject").empty()) return done();
  HONE_TRY(const bool lists, lists_referrers(registry, subject.digest));
  if (lists) return done();
  return add_to_list(registry, referrer, subject.digest);
}

}  // namespace hone::oci
