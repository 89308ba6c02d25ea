#pragma once
// The tags of a repository, page by page.

#include <string>
#include <vector>

#include "catalog/oci/registry.h"

namespace hone::oci {

// All of them. A repository that the registry does not know has none; any other answer that is no
// list is an error.
Result<std::vector<std::string>> list_tags(Registry& registry);

}  // namespace hone::oci
