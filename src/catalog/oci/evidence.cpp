#include "catalog/oci/evidence.h"

#include <algorithm>

namespace hone::oci {
namespace {

constexpr std::uint64_t most_manifest_bytes = std::uint64_t{4} << 20;

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
    return fail(Fault::runtime, "cannot attach the evidence",
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

}  // namespace

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
