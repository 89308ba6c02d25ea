#pragma once
// Which nodes of a graph the device takes, in which groups, and why not the others.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ep/graph.h"
#include "ep/sim/profile.h"
#include "record/sim_report.h"

namespace hone::ep::sim {

struct Claim {
  std::vector<std::vector<const OrtNode*>> groups;
  // Each is a group of its own and keeps its constant inputs, whose number its context knows.
  std::vector<const OrtNode*> contexts;
  SimReport report;
};

Result<Claim> decide(const Ort& ort, const OrtGraph* graph, const Profile& profile);

Status hand_in(const Ort& ort, const Claim& claim, OrtEpGraphSupportInfo* support);

}  // namespace hone::ep::sim
