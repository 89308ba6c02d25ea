#pragma once
// Manifests of the OCI image spec 1.1, as far as packages need them.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "catalog/publisher.h"

namespace hone::oci {

inline constexpr std::string_view manifest_type = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view index_type = "application/vnd.oci.image.index.v1+json";
inline constexpr std::string_view package_type = "application/vnd.hone.model.v1";
inline constexpr std::string_view evidence_type = "application/vnd.hone.evidence.v1+json";
inline constexpr std::string_view evidence_file_type = "application/json";
inline constexpr std::string_view title_key = "org.opencontainers.image.title";

// The config of an artifact without one: two bytes, "{}".
inline constexpr std::string_view empty_config = "{}";

struct Descriptor {
  std::string media_type;
  std::string digest;
  std::uint64_t size = 0;
  std::string artifact_type{};
  std::map<std::string, std::string> annotations{};
};

Json json_of(const Descriptor& descriptor);
Result<Descriptor> read_descriptor(const Json& json);

// "sha256:..." of these bytes.
std::string digest_of(std::string_view bytes);

// The same package always has the same text, and so the same digest.
std::string manifest_text(const Package& package);
// The manifest that attaches the evidence to what has this descriptor.
std::string evidence_text(const PackageFile& evidence, const Descriptor& subject);

// What a manifest of a package promises. Paths, digests and sizes are checked.
Result<PackageManifest> read_manifest(std::string_view text);

}  // namespace hone::oci
