#pragma once
// Support for a model, proven: the ladder climbed with a recipe, and the bundle that shows it.

#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/bundle.h"
#include "record/where.h"

namespace hone {

struct ProveOrder {
  Path recipe;  // the file
  Path model;   // the source, or its skeleton
  SupportClaim claim;
  std::vector<Target> also;  // targets to try besides the recipe's own
  std::vector<std::string> surprises;
  std::string findings;  // a file of them, or a draft; empty: the numbers of this climb
  Path bundle;           // the folder to make
  std::int64_t race_s = 60;
  Host host;
};
Result<Bundle> prove(const ProveOrder& order, const Watch& watch);

}  // namespace hone
