#pragma once
// Which of the supported nodes can run as one. Fusing is allowed only when no path leaves a group
// and comes back to it, and when no two groups wait for each other.

#include <cstddef>
#include <vector>

namespace hone::ep::sim {

struct GroupingNode {
  std::vector<std::size_t> predecessors;
  bool is_supported = false;
};

// The groups, each with its nodes in order, in an order in which they can run one after the other.
// There are as few as the graph allows, so no two of them could be merged; nodes of one group need
// not touch each other. REQUIRES: a node's predecessors stand before it.
std::vector<std::vector<std::size_t>> group_supported(const std::vector<GroupingNode>& nodes);

}  // namespace hone::ep::sim
