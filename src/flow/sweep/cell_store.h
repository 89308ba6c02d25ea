#pragma once
// What a cell has built, taken into the content store.

#include <vector>

#include "base/result.h"
#include "record/sweep.h"

namespace hone {

// All files of the cell's folder but its receipt, held in the name of its owner, in the place of
// what that held before. What the cache of stages has of it is a link to the store from then on.
Result<std::vector<PackageEntry>> keep_cell(const CellOrder& order);

}  // namespace hone
