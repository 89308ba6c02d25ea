#include "record/target.h"

#include <algorithm>

namespace hone {
namespace {

constexpr std::size_t ops_named = 4;

// "Softmax x3, Resize": the most frequent ops first.
std::string name_ops(const std::map<std::string, std::uint64_t>& op_counts) {
  std::vector<std::pair<std::string, std::uint64_t>> ops(op_counts.begin(), op_counts.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < ops.size() && i < ops_named; ++i) {
    if (i > 0) text += ", ";
    text += ops[i].first;
    if (ops[i].second > 1) text += " x" + std::to_string(ops[i].second);
  }
  return ops.size() > ops_named ? text + ", ..." : text;
}

std::string describe_first(const EpShare& share) {
  std::string text =
      share.ep + " " + std::to_string(share.nodes) + (share.nodes == 1 ? " node" : " nodes");
  // EPs that run node by node are reported as one subgraph per node, which says nothing.
  if (share.subgraphs > 0 && share.subgraphs < share.nodes) {
    text += " in " + std::to_string(share.subgraphs) +
            (share.subgraphs == 1 ? " subgraph" : " subgraphs");
  }
  return text;
}

}  // namespace

std::string describe(const Placement& placement) {
  if (!placement.known) return "placement: not known (" + placement.reason + ")";
  std::string text = "placement: ";
  for (std::size_t i = 0; i < placement.shares.size(); ++i) {
    const EpShare& share = placement.shares[i];
    if (i == 0) {
      text += describe_first(share);
    } else {
      text += ", " + share.ep + " " + std::to_string(share.nodes) + " (" +
              name_ops(share.op_counts) + ")";
    }
  }
  return placement.shares.empty() ? text + "no nodes" : text;
}

}  // namespace hone
