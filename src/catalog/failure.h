#pragma once
// What the end of a cell's process says about why it failed. A pure function.

#include <string_view>

#include "base/process.h"
#include "record/sweep.h"

namespace hone {

// `stage` is the command that ran: build, perf, eval, autoconfig. REQUIRES: the end is a failure.
CellFailure classify(std::string_view stage, const ProcessEnd& end);

}  // namespace hone
