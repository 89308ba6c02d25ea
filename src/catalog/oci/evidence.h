#pragma once
// Evidence, attached to the manifest it is about: a referrer of OCI 1.1. Put, and found again.

#include "catalog/oci/manifest.h"
#include "catalog/oci/registry.h"

namespace hone::oci {

// Puts the manifest of the evidence, whose blob is there. Where the registry does not list
// referrers by itself, the list is kept under a tag made of the subject's digest.
Status attach_evidence(Registry& registry, const PackageFile& evidence, const Descriptor& subject);

// All evidence attached to what has this digest, manifest and bytes held to theirs. Asks the
// registry for referrers, and where it lists none by itself the tag made of the digest. An answer
// that is no list is an error, and so is evidence that names another subject.
Result<std::vector<std::string>> fetch_evidence(Registry& registry, const std::string& subject);

// Puts a manifest under a tag or its digest, and holds the registry to the digest.
Result<HttpResponse> put_manifest(Registry& registry, const std::string& name,
                                  std::string_view media_type, const std::string& text);

// The bytes under a tag or digest, as they came; nothing where there is none.
Result<std::optional<std::string>> get_manifest(Registry& registry, const std::string& name);

}  // namespace hone::oci
