#pragma once
// Two traces of one model, operator by operator.

#include "record/trace.h"
#include "record/trace_diff.h"

namespace hone {

// Operators are matched by their path, then, in the order they ran, by their type.
TraceDiff diff_traces(const OpTrace& before, const OpTrace& after);

}  // namespace hone
