#pragma once
// Text of several lines where there is room for one.

#include <string>
#include <string_view>

namespace hone {

// Its lines, trimmed, with "; " between them; empty ones are left out.
std::string one_line(std::string_view text);

}  // namespace hone
