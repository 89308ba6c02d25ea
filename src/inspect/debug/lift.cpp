#include "inspect/debug/lift.h"

#include <algorithm>

namespace hone {
namespace {

Node* node_around(const Graph& graph) {
  for (Node& node : graph.parent()->nodes()) {
    const std::vector<Graph*> inner = node.subgraphs();
    if (std::ranges::find(inner, &graph) != inner.end()) return &node;
  }
  return nullptr;
}

// What a branch that is not taken has to give.
void add_empty_output(Graph& branch, ElementType type) {
  Value& empty = branch.add_value("not_taken", Type::tensor(type));
  Node& node = branch.add_node("Constant", {}, {&empty});
  node.set_attribute(make_attribute("value", make_tensor("", type, {0}, {})));
  branch.add_output(empty);
}

// One more output; the ones that were left out at the end are counted.
Value& add_node_output(Node& node, std::size_t index, const Value& inner, ElementType type) {
  std::vector<Value*> outputs = node.outputs();
  outputs.resize(index, nullptr);
  Value& outer = node.graph().add_value(inner.name(), Type::tensor(type));
  outputs.push_back(&outer);
  node.set_outputs(std::move(outputs));
  return outer;
}

void extend_list(Node& node, const char* attribute_name) {
  const Attribute* found = node.attribute(attribute_name);
  if (found == nullptr || found->as_ints() == nullptr) return;
  Attribute::Ints longer = *found->as_ints();
  longer.push_back(0);
  node.set_attribute(make_attribute(attribute_name, std::move(longer)));
}

Value* lift_once(Value& inner) {
  Graph& graph = inner.graph();
  Node* node = node_around(graph);
  if (node == nullptr) return nullptr;
  const ElementType type = is_float(inner.type.element) ? inner.type.element : ElementType::float32;
  const std::size_t before = graph.outputs().size();
  if (node->is("If")) {
    for (Graph* branch : node->subgraphs()) {
      if (branch == &graph) {
        branch->add_output(inner);
      } else {
        add_empty_output(*branch, type);
      }
    }
    return &add_node_output(*node, before, inner, type);
  }
  if (node->is("Loop")) {
    graph.add_output(inner);
    return &add_node_output(*node, before - 1, inner, type);  // the first tells whether to go on
  }
  if (!node->is("Scan")) return nullptr;
  graph.add_output(inner);
  extend_list(*node, "scan_output_axes");
  extend_list(*node, "scan_output_directions");
  return &add_node_output(*node, before, inner, type);
}

}  // namespace

Value* lift(Model& model, Value& inner) {
  Value* value = &inner;
  while (value != nullptr && &value->graph() != model.graph.get()) {
    value = value->graph().parent() != nullptr ? lift_once(*value) : nullptr;
  }
  return value;
}

}  // namespace hone
