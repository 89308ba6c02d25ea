#include "catalog/oci/manifest.h"

#include <set>

#include "base/hash.h"
#include "catalog/oci/repository.h"

namespace hone::oci {
namespace {

constexpr std::string_view empty_type = "application/vnd.oci.empty.v1+json";
constexpr std::string_view file_type = "application/octet-stream";
constexpr std::string_view version_key = "org.opencontainers.image.version";
constexpr std::string_view description_key = "org.opencontainers.image.description";
constexpr std::size_t most_files = 10'000;

Descriptor empty_descriptor() {
  return {std::string(empty_type), digest_of(empty_config), empty_config.size()};
}

Descriptor descriptor_of(const PackageFile& file, std::string_view type) {
  return {std::string(type),
          "sha256:" + file.sha256,
          file.bytes,
          {},
          {{std::string(title_key), file.path}}};
}

Json json_of_annotations(const std::map<std::string, std::string>& annotations) {
  Json made = Json::object();
  for (const auto& [key, value] : annotations) made.set(key, value);
  return made;
}

Json artifact(std::string_view type, Json layers) {
  Json manifest = Json::object();
  manifest.set("schemaVersion", 2);
  manifest.set("mediaType", manifest_type);
  manifest.set("artifactType", type);
  manifest.set("config", json_of(empty_descriptor()));
  manifest.set("layers", std::move(layers));
  return manifest;
}

Failure no_package(std::string why) {
  return fail(Fault::bad_input, "what is there is no package of files", std::move(why));
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr && found->as_string() != nullptr ? *found->as_string() : "";
}

Result<std::map<std::string, std::string>> read_annotations(const Json& json) {
  std::map<std::string, std::string> annotations;
  const Json* found = json.find("annotations");
  if (found == nullptr || found->is_null()) return annotations;
  if (found->as_object() == nullptr) return no_package("its annotations are no object");
  for (const auto& [key, value] : *found->as_object()) {
    if (value.as_string() == nullptr) return no_package("an annotation is no text");
    annotations[key] = *value.as_string();
  }
  return annotations;
}

Result<PackageEntry> read_layer(const Json& json) {
  HONE_TRY(const Descriptor layer, read_descriptor(json));
  const auto title = layer.annotations.find(std::string(title_key));
  if (title == layer.annotations.end()) return no_package("one of its layers is no named file");
  HONE_TRY_DO(check_package_path(title->second));
  return PackageEntry{title->second, layer.digest.substr(layer.digest.find(':') + 1), layer.size};
}

}  // namespace

std::string digest_of(std::string_view bytes) { return "sha256:" + sha256(bytes).hex(); }

Json json_of(const Descriptor& descriptor) {
  Json made = Json::object();
  made.set("mediaType", descriptor.media_type);
  made.set("digest", descriptor.digest);
  made.set("size", descriptor.size);
  if (!descriptor.artifact_type.empty()) made.set("artifactType", descriptor.artifact_type);
  if (!descriptor.annotations.empty())
    made.set("annotations", json_of_annotations(descriptor.annotations));
  return made;
}

Result<Descriptor> read_descriptor(const Json& json) {
  Descriptor descriptor;
  descriptor.media_type = text_of(json, "mediaType");
  descriptor.digest = text_of(json, "digest");
  descriptor.artifact_type = text_of(json, "artifactType");
  if (!is_digest(descriptor.digest)) return no_package("one of its parts has no SHA-256");
  const Json* size = json.find("size");
  const auto bytes = size != nullptr ? size->to_uint() : Result<std::uint64_t>(fail({}));
  if (!bytes) return no_package("one of its parts has no size");
  descriptor.size = *bytes;
  HONE_TRY(descriptor.annotations, read_annotations(json));
  return descriptor;
}

std::string manifest_text(const Package& package) {
  Json layers = Json::array();
  for (const PackageFile& file : package.files)
    layers.push(json_of(descriptor_of(file, file_type)));
  Json manifest = artifact(package_type, std::move(layers));
  std::map<std::string, std::string> annotations = package.annotations;
  annotations.emplace(version_key, package.version);
  if (!package.description.empty()) annotations.emplace(description_key, package.description);
  manifest.set("annotations", json_of_annotations(annotations));
  return manifest.dump(-1);
}

std::string evidence_text(const PackageFile& evidence, const Descriptor& subject) {
  Json layers = Json::array();
  layers.push(json_of(descriptor_of(evidence, evidence_file_type)));
  Json manifest = artifact(evidence_type, std::move(layers));
  manifest.set("subject", json_of(subject));
  return manifest.dump(-1);
}

Result<PackageManifest> read_manifest(std::string_view text) {
  const auto json = Json::parse(text);
  if (!json) return no_package(json.error().what);
  const Json* layers = json->find("layers");
  if (layers == nullptr || layers->as_array() == nullptr) return no_package("it has no layers");
  if (layers->as_array()->size() > most_files) return no_package("it has too many files");
  PackageManifest package;
  std::set<std::string> paths;
  for (const Json& layer : *layers->as_array()) {
    HONE_TRY(PackageEntry entry, read_layer(layer));
    if (!paths.insert(entry.path).second)
      return no_package("it has two files '" + entry.path + "'");
    package.files.push_back(std::move(entry));
  }
  HONE_TRY(package.annotations, read_annotations(*json));
  package.version = package.annotations[std::string(version_key)];
  package.description = package.annotations[std::string(description_key)];
  return package;
}

}  // namespace hone::oci
