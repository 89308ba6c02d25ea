#pragma once
// One cell of a sweep, in a process of its own: built, measured where that is asked for, and kept
// in the store. Every end is an outcome.

#include "record/sweep.h"

namespace hone::app {

CellOutcome run_cell(const CellJob& job);

}  // namespace hone::app
