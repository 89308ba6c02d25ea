#pragma once
// Which cells a sweep has: the recipe, name and key of each.

#include "catalog/sweep.h"
#include "flow/sweep/sweep.h"

namespace hone {

// Where the sweep's files are kept.
Path store_of(const SweepOrder& order);

// Fills in the environment, jobs and notes. REQUIRES: the plan has its targets, mode and run stamp.
Status plan_cells(const SweepOrder& order, const std::vector<CatalogModel>& models,
                  const Watch& watch, SweepPlan& plan);

}  // namespace hone
