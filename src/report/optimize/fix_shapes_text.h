#pragma once
// What fixed shapes came to, for people.

#include <string>

#include "record/fix_shapes.h"

namespace hone {

std::string describe_fixed_shapes(const FixShapesReport& report);

// "x[1,3,48,192], 440 -> 215 nodes, nothing open": in a clause, for a line of a build.
std::string sum_up_fixed_shapes(const FixShapesReport& report);

}  // namespace hone
