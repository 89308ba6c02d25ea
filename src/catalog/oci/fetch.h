#pragma once
// A package out of a registry.

#include "catalog/oci/registry.h"

namespace hone::oci {

// `name` is a tag or a digest.
Result<Fetched> fetch_package(Registry& registry, const std::string& name, const Path& into,
                              const FetchOptions& options);

}  // namespace hone::oci
