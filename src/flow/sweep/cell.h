#pragma once
// One cell of a sweep: built, measured where that is asked for, and kept in the store. Each step is
// a job with the cell's limits, and every end is an outcome.

#include "flow/watch.h"
#include "record/sweep.h"

namespace hone {

// Never fails: what goes wrong is the outcome's failure.
Result<CellOutcome> run_cell(const CellOrder& order, const Watch& watch);

}  // namespace hone
