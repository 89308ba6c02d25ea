#pragma once
// All that a search of a user tries: what the sources propose, the model as it came, and recipes of
// files.

#include <string>
#include <vector>

#include "search/hypotheses.h"

namespace hone {

struct HypothesisRequest {
  const Insight& insight;
  HypothesisAdvisor advisor;
  std::vector<std::string> recipes;  // files to try besides
  std::vector<std::string> only;     // ids that are tried whatever findings say
  std::string calibration_data;      // empty: seeded samples
};

// The baseline first, then the larger priority first.
Result<HypothesisSet> collect_hypotheses(const HypothesisRequest& request);

// Leaves those with the ids, the baselines of targets and nothing else; the rest become skips. An
// id that nothing has is refused. No ids: all stay.
Status narrow(const std::vector<std::string>& only, HypothesisSet& proposed);

}  // namespace hone
