#pragma once
// What changed between two traces, for people.

#include <cstdint>
#include <string>

#include "record/trace_diff.h"

namespace hone {

std::string describe_diff(const TraceDiff& diff, std::int64_t top = 20);

}  // namespace hone
