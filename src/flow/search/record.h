#pragma once
// A recorded space: all arms of a model on a target measured once, in full.

#include "flow/search/tools.h"
#include "record/replay.h"

namespace hone {

struct RecordPlan {
  std::vector<Hypothesis> hypotheses;  // the first is the baseline
  std::size_t sessions = 10;           // of every arm
  std::size_t rounds = 2;              // of a session
};

// Builds, checks and measures every arm, whatever it comes to; until the site's deadline as many of
// them, in their order, as can be measured soundly.
Result<RecordedSpace> record_space(const SearchSite& site, const SearchTools& tools,
                                   const RecordPlan& plan, const Watch& watch);

}  // namespace hone
