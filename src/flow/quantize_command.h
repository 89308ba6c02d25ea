#pragma once
// What to type to have a remedy: the command of an order, with it.

#include <string>

#include "flow/quantize.h"

namespace hone {

// `hone quantize ...`, with `hone optimize ... &&` before it where the remedy optimizes first. What
// would do nothing beside a precision that the remedy brings is left out.
std::string command_with(const TriedRemedy& tried, const QuantizeOrder& order);

}  // namespace hone
