#include "flow/node_types.h"

namespace hone {

NodeTypes node_types_of(const Model& model) {
  NodeTypes types;
  for_each_graph(model, [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!node.name.empty()) types.try_emplace(node.name, node.op_type);
    }
  });
  return types;
}

}  // namespace hone
