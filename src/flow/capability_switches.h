#pragma once
// Capabilities as a file: {"gelu_fusion": true, ...}, alone or below "optim" or "capabilities".
// Analyzing writes what it suggests, optimizing reads it.

#include "base/file.h"
#include "base/json.h"
#include "flow/optimize.h"
#include "record/analyze.h"

namespace hone {

// Puts what the file switches behind what the order does.
Status add_switches_of(const Path& file, OptimizeOrder& order);

Json switches_for(const Analysis& analysis);

}  // namespace hone
