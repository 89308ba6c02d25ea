#pragma once
// What a user is told of a model with denormal numbers.

#include <string>

#include "record/perf.h"

namespace hone {

// Empty where there is nothing to say: no such number, none that is known to cost anything, or
// a session that was told what to do with them.
std::string denormals_note(const PerfResult& result);

}  // namespace hone
