#pragma once
// The tags of a repository, page by page.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/oci/registry.h"

namespace hone::oci {

// What is read of a list before it is called endless; a registry says whatever it likes.
struct TagLimits {
  int pages = 1000;
  std::uint64_t tags = 1'000'000;
  // Not every registry pages: some send all they have at once.
  std::uint64_t page_bytes = std::uint64_t{32} << 20;
  std::uint64_t all_bytes = std::uint64_t{128} << 20;
};

// Those that begin with `prefix`. A repository that the registry does not know has none; any other
// answer that is no list is an error, and so is a list above the limits.
Result<std::vector<std::string>> list_tags(Registry& registry, std::string_view prefix,
                                           const TagLimits& limits = {});

}  // namespace hone::oci
