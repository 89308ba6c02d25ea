#pragma once
// What there is to try on each target of a search, and all of it together.

#include <optional>
#include <string>
#include <vector>

#include "flow/search/environment.h"
#include "flow/search/insight.h"
#include "flow/search/targets.h"
#include "flow/search/tools.h"
#include "search/hypotheses.h"

namespace hone {

// One target, looked at.
struct TargetThoughts {
  SearchTarget target;
  Recipe baseline;
  FoundInsight found;
  SearchEnvironment environment;
  HypothesisSet proposed;  // its baseline first
};

// What thinking needs to know of a search.
struct ThinkingOrder {
  const SearchSite& site;
  const SearchOrder& order;
  std::string calibration_data;  // by the name that recipes hold
};

// Looks at the built baseline of a target. `traces`: also where its time goes.
Result<TargetThoughts> think_of(const ThinkingOrder& asked, const SearchTarget& target,
                                const Recipe& baseline, const BuiltModel& built, bool traces);

// All targets' arms, the first target's baseline first and then the larger priority first. Arms of
// the others have their target's label before their id, "webgpu:fp16", and their baselines are arms
// of the dimension "target". REQUIRES: one at the least.
HypothesisSet join_targets(const std::vector<TargetThoughts>& thoughts);

// What measurements on all of them hold for. REQUIRES: one at the least.
SearchEnvironment join_environments(const std::vector<TargetThoughts>& thoughts);

}  // namespace hone
