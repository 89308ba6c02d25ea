#include "checkpoint/settled.h"

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hone {
namespace {

std::vector<Node*> needed_order(const Graph& graph) {
  std::vector<Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<Node*, std::size_t>> path;  // with the input that is next
  const auto enter = [&](const Value* value) {
    if (value && value->producer() && seen.insert(value->producer()).second)
      path.emplace_back(value->producer(), 0);
  };
  for (const Value* output : graph.outputs()) {
    enter(output);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      if (next < node->inputs().size()) {
        enter(node->inputs()[next++]);
        continue;
      }
      order.push_back(node);
      path.pop_back();
    }
  }
  return order;
}

// "Add", then "Add_1": one number for each that wants the name.
class Numbers {
 public:
  std::string next(const std::string& wanted) {
    const int before = counts_[wanted]++;
    return before == 0 ? wanted : wanted + "_" + std::to_string(before);
  }

 private:
  std::map<std::string, int> counts_;
};

using Names = std::vector<std::pair<Value*, std::string>>;

// What nodes make is called after them, but for the graph's outputs.
void name_nodes(const std::vector<Node*>& order, Names& names) {
  Numbers numbers;
  for (Node* node : order) {
    node->name = numbers.next(node->name.substr(0, node->name.rfind('/') + 1) + node->op_type);
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
      if (Value* made = node->output(i); made && !made->is_graph_output())
        names.emplace_back(made, node->name + "_output_" + std::to_string(i));
    }
  }
}

// Constants that want the same name get their numbers as they are needed.
void name_constants(const std::vector<Node*>& order, Names& names) {
  Numbers numbers;
  std::unordered_set<const Value*> seen;
  for (const Node* node : order) {
    for (Value* value : node->inputs()) {
      if (value && value->initializer() && seen.insert(value).second)
        names.emplace_back(value, numbers.next(value->initializer()->name));
    }
  }
}

}  // namespace

void settle_order(Graph& graph) {
  const std::vector<Node*> order = needed_order(graph);
  graph.reorder(order);
  Names names;
  name_nodes(order, names);
  name_constants(order, names);
  // A name may still be another's, so all of them are free first.
  for (const auto& [value, name] : names) graph.rename(*value, "settled");
  for (const auto& [value, name] : names) graph.rename(*value, name);
  graph.sort_values();
}

}  // namespace hone
