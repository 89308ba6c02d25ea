#pragma once
// What quantization did to a model, for people.

#include <string>

#include "record/debug.h"

namespace hone {

// Four tables, the worst first, each of at most `top` rows.
std::string describe_debug(const DebugResult& result, std::size_t top);

}  // namespace hone
