#pragma once
// Which targets a search is over: one, several (`--ep cuda,webgpu,cpu`, `sim/gpu,sim/npu`), or all
// that this machine offers (`--ep auto`).

#include <string>
#include <vector>

#include "base/result.h"
#include "flow/watch.h"
#include "record/where.h"

namespace hone {

struct SearchTarget {
  Where where;        // on this one alone
  std::string label;  // what its arms are called by; empty: the first, whose names stand alone
};

struct SearchTargets {
  std::vector<SearchTarget> all;  // the first has the baseline; never empty
  bool is_auto = false;           // one on which the model does not run is left out
};

// Refuses what cannot be meant: a target twice, options of the EP for several.
Result<SearchTargets> find_targets(const Where& said, const Watch& watch);

// Whether `--ep` says more than one name.
bool names_several(const Where& said);

}  // namespace hone
