#pragma once
// Ids of tokens as somebody writes them: 101,7592,102, or with spaces.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone {

// `option`: what they are given to, for the hint.
Result<std::vector<std::uint32_t>> read_token_ids(std::string_view text, std::string_view option);

}  // namespace hone
