#pragma once
// Evidence, attached to the manifest it is about: a referrer of OCI 1.1.

#include "catalog/oci/manifest.h"
#include "catalog/oci/registry.h"

namespace hone::oci {

// Puts the manifest of the evidence, whose blob is there. Where the registry does not list
// referrers by itself, the list is kept under a tag made of the subject's digest.
Status attach_evidence(Registry& registry, const PackageFile& evidence, const Descriptor& subject);

// Puts a manifest under a tag or its digest, and holds the registry to the digest.
Result<HttpResponse> put_manifest(Registry& registry, const std::string& name,
                                  std::string_view media_type, const std::string& text);

// The bytes under a tag or digest, as they came; nothing where there is none.
Result<std::optional<std::string>> get_manifest(Registry& registry, const std::string& name);

}  // namespace hone::oci
