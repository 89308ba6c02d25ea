#pragma once
// What a reader takes for one character: Unicode's extended grapheme clusters.

#include <cstddef>
#include <string_view>

namespace hone::tokenize {

// The length of the first one in bytes. REQUIRES: valid UTF-8, not empty.
std::size_t grapheme_length(std::string_view text);

}  // namespace hone::tokenize
