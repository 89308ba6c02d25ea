#include "ep/sim/groups.h"

#include <algorithm>

namespace hone::ep::sim {

// The wave of a node is the greatest number of steps from a supported to an unsupported node on any
// path that leads to it; the supported nodes of one wave are one group. Waves never fall along an
// edge, and an unsupported node behind a supported one has a higher wave: so no path leaves a group
// and returns, and groups depend only on earlier ones. A path that reaches wave k holds k + 1
// supported nodes with unsupported ones between, which no grouping can join: there are no fewer.
std::vector<std::vector<std::size_t>> group_supported(const std::vector<GroupingNode>& nodes) {
  std::vector<std::size_t> waves(nodes.size(), 0);
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t before : nodes[i].predecessors) {
      const bool leaves = nodes[before].is_supported && !nodes[i].is_supported;
      waves[i] = std::max(waves[i], waves[before] + (leaves ? 1 : 0));
    }
    if (!nodes[i].is_supported) continue;
    if (groups.size() <= waves[i]) groups.resize(waves[i] + 1);
    groups[waves[i]].push_back(i);
  }
  // A wave of unsupported nodes alone leaves an empty group.
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

}  // namespace hone::ep::sim
