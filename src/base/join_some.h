#pragma once
// A list for people that may be long.

#include <span>
#include <string>

#include "base/text.h"

namespace hone {

// "a, b, c and 46 more": the first `most` of them, and how many are left. One more than that is
// not worth the words.
inline std::string join_some(std::span<const std::string> parts, std::size_t most) {
  if (parts.size() <= most + 1) return join(parts, ", ");
  return join(parts.first(most), ", ") + " and " + std::to_string(parts.size() - most) + " more";
}

}  // namespace hone
