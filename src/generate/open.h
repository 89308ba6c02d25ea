#pragma once
// The parts of a model that writes, opened on one runtime.

#include <memory>
#include <string>
#include <vector>

#include "generate/network.h"
#include "record/run_plan.h"

namespace hone {

struct PartPlan {
  std::string part;
  RunPlan plan;
};

struct OpenNetwork {
  std::shared_ptr<Runtime> runtime;
  std::unique_ptr<Network> network;   // after what it runs on: it goes first
  std::vector<Placement> placements;  // of each part
};

// REQUIRES: there are parts, and their plans name the same runtime.
Result<OpenNetwork> open_network(const std::vector<PartPlan>& parts, bool picks_rows);

}  // namespace hone
