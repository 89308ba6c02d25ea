#pragma once
// Which cells a sweep has: the recipe, name and key of each.

#include "app/step_progress.h"
#include "app/sweep.h"
#include "catalog/sweep.h"

namespace hone::app {

struct SweepRequest {
  const SweepArguments& arguments;
  const std::vector<CatalogModel>& models;
  std::uint64_t memory_limit = 0;
  Path store;
};

// Fills in the environment, jobs and notes. REQUIRES: the plan has its targets, mode and run stamp.
Status plan_cells(const SweepRequest& request, StepProgress& progress, SweepPlan& plan);

}  // namespace hone::app
