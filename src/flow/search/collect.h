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
  std::vector<std::string> only;     // ids; empty: all
  std::string calibration_data;      // empty: seeded samples
};

// The baseline first, then the larger priority first. What `only` leaves out is a skip; what it
// names is tried even where a finding rules it out.
Result<HypothesisSet> collect_hypotheses(const HypothesisRequest& request);

}  // namespace hone
