#pragma once
// Why a cell failed, as far as that decides what to do about it: by the kind of its error, which
// was told where it arose. No words are read. A pure function.

#include <string_view>

#include "base/result.h"
#include "record/sweep.h"

namespace hone {

// `stage` is the step that failed: config, build, perf, eval, autoconfig, store.
CellFailure failure_of(std::string_view stage, const Error& error);

}  // namespace hone
