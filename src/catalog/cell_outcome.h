#pragma once
// What a cell came to: as the sweep reports it, and its files in the store.

#include "base/result.h"
#include "catalog/store.h"
#include "record/sweep.h"

namespace hone {

void take_outcome(SweepCell& cell, const CellOutcome& outcome);

// Every file is there with its size; the bytes are not read.
bool are_held(const ContentStore& store, const CellOutcome& outcome);
// Every file has the bytes it had when the cell was built.
bool are_sound(const ContentStore& store, const CellOutcome& outcome);
// The folder of the cell, where somebody has removed it.
Status put_back(const ContentStore& store, const CellOrder& job, const CellOutcome& outcome);

}  // namespace hone
