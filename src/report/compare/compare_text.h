#pragma once
// A comparison, for people.

#include <string>

#include "record/comparison.h"

namespace hone {

// "faster: 0.812 x [0.801, 0.823]", and what there is to know about it.
std::string describe_comparison(const Comparison& comparison);

}  // namespace hone
