#include "transform/quantize/inner_nodes.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace hone {
namespace {

constexpr auto with_weights =
    std::to_array<std::string_view>({"Conv", "ConvTranspose", "Gemm", "MatMul"});
constexpr std::size_t most_holders = 3;

std::string joined(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return join(parts, "");
  const std::vector<std::string> first(parts.begin(), parts.end() - 1);
  return join(first, ", ") + " and " + parts.back();
}

using Counts = std::map<std::string, std::size_t>;

std::size_t count_inside(const Graph& graph, const NodeFilter& takes, Counts& counts) {
  std::size_t count = 0;
  for (const Node& node : graph.nodes()) {
    const bool has_weights =
        node.is_default_domain() && std::ranges::count(with_weights, node.op_type) > 0;
    if (has_weights && takes(node)) {
      ++counts[node.op_type];
      ++count;
    }
    for (const Graph* inner : node.subgraphs()) count += count_inside(*inner, takes, counts);
  }
  return count;
}

}  // namespace

InnerNodes find_inner_nodes(const Model& model, const NodeFilter& takes) {
  InnerNodes found;
  Counts counts;
  std::vector<std::string> holders;
  for (const Node& node : model.graph->nodes()) {
    std::size_t inside = 0;
    for (const Graph* inner : node.subgraphs()) inside += count_inside(*inner, takes, counts);
    if (inside > 0) holders.push_back(describe(node));
    found.count += inside;
  }
  if (found.count == 0) return found;
  std::vector<std::string> ops;
  for (const auto& [op, count] : counts) ops.push_back(format_count(count) + " " + op);
  if (holders.size() > most_holders) {
    const std::size_t more = holders.size() - most_holders;
    holders.resize(most_holders);
    holders.push_back(format_count(more) + " more");
  }
  found.words = joined(ops) + (found.count == 1 ? " is" : " are") + " inside " + joined(holders);
  return found;
}

}  // namespace hone
