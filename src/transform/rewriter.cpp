#include "transform/rewriter.h"

#include <algorithm>

#include "base/text.h"

namespace hone {
namespace {

void collect(Graph& graph, std::vector<Node*>& found) {
  for (Node& node : graph.nodes()) {
    found.push_back(&node);
    for (Graph* inner : node.subgraphs()) collect(*inner, found);
  }
}

// Whether the value can take over the name of a graph output of that graph: not when its own name
// is promised to somebody, nor when it lives elsewhere.
bool can_become_output(const Value& value, const Graph& graph) {
  return value.producer() != nullptr && &value.graph() == &graph && !value.is_graph_output();
}

}  // namespace

void Rewriter::need_domain(std::string_view domain, std::int64_t version) {
  if (model_.opset(domain) == 0) model_.set_opset(domain, version);
}

bool Rewriter::has_opset(const Node& node, std::string_view op, std::int64_t least) {
  if (opset() >= least) return true;
  decline(node, std::string(op) + " exists from opset " + std::to_string(least) +
                    " on, and the model is of opset " + std::to_string(opset()));
  return false;
}

std::vector<Node*> Rewriter::nodes() const {
  std::vector<Node*> found;
  collect(*model_.graph, found);
  return found;
}

std::vector<Node*> Rewriter::nodes(std::string_view op) const {
  std::vector<Node*> found = nodes();
  std::erase_if(found,
                [&](const Node* node) { return !node->is(op) || node->output(0) == nullptr; });
  return found;
}

std::vector<Value*> Rewriter::add_outputs(const Node& position, NewNode node,
                                          std::vector<Type> types) {
  Graph& graph = position.graph();
  const std::string stem = position.name.empty() ? "hone" : position.name;
  std::string name =
      node.name.empty() ? free_name(stem + "_" + lowercase(node.op)) : std::move(node.name);
  std::vector<Value*> outputs;
  for (Type& type : types) outputs.push_back(&graph.add_value(name, std::move(type)));
  Node& made = graph.insert_before(position, node.op, std::move(node.inputs), outputs);
  made.domain = std::move(node.domain);
  made.attributes = std::move(node.attributes);
  made.name = std::move(name);
  return outputs;
}

// Values find a free name by themselves; those of nodes must differ too, or the model is refused.
std::string Rewriter::free_name(const std::string& wanted) {
  if (node_names_.empty()) {
    for (const Node* node : nodes()) node_names_.insert(node->name);
  }
  std::string name = wanted;
  for (int number = 1; !node_names_.insert(name).second; ++number) {
    name = wanted + "_" + std::to_string(number);
  }
  return name;
}

Value& Rewriter::add(const Node& position, NewNode node) {
  Type type = std::move(node.type);
  return *add_outputs(position, std::move(node), {std::move(type)}).front();
}

Value& Rewriter::add_constant(const Node& position, TensorPtr tensor) {
  Graph& graph = position.graph();
  // Before IR 4 every initializer is a graph input, which the caller may set.
  if (model_.ir_version >= 4) return graph.add_initializer(std::move(tensor));
  Value& value = graph.add_value(tensor->name, Type::tensor(tensor->type, shape_of(tensor->dims)));
  Node& node = graph.insert_before(position, "Constant", {}, {&value});
  node.attributes.push_back(make_attribute("value", std::move(tensor)));
  node.name = free_name(value.name());
  return value;
}

Value& Rewriter::add_ints(const Node& position, std::string name,
                          std::span<const std::int64_t> values) {
  return add_constant(position, make_int64_tensor(std::move(name), values));
}

Value& Rewriter::add_reshape(const Node& position, Value& input,
                             std::span<const std::int64_t> shape, Type type) {
  Value& sizes = add_ints(position, input.name() + "_shape", shape);
  return add(position, {.op = "Reshape", .inputs = {&input, &sizes}, .type = std::move(type)});
}

Value& Rewriter::add_with_axes(const Node& position, std::string op, Value& input,
                               std::span<const std::int64_t> axes, Type type) {
  NewNode node{.op = std::move(op), .inputs = {&input}, .type = std::move(type)};
  if (opset() < 13) {
    node.attributes.push_back(make_attribute("axes", Attribute::Ints(axes.begin(), axes.end())));
  } else {
    node.inputs.push_back(&add_ints(position, input.name() + "_axes", axes));
  }
  return add(position, std::move(node));
}

Value& Rewriter::add_transpose(const Node& position, Value& input, std::vector<std::int64_t> perm,
                               Type type) {
  NewNode node{.op = "Transpose", .inputs = {&input}, .type = std::move(type)};
  node.attributes.push_back(make_attribute("perm", std::move(perm)));
  return add(position, std::move(node));
}

void Rewriter::replace(Value& from, Value& to) {
  if (!to.type.is_known() && to.producer() != nullptr) to.type = from.type;
  ++rewrites_;
  if (!from.is_graph_output() || can_become_output(to, from.graph())) {
    from.graph().replace_uses(from, to);
    return;
  }
  // The name of the output is the caller's: it stays on a node of its own.
  Value& copy = add(*from.producer(), {.op = "Identity", .inputs = {&to}, .type = from.type});
  from.graph().replace_uses(from, copy);
}

void Rewriter::changed(const Node&) { ++rewrites_; }

void Rewriter::decline(const Node& node, std::string reason) {
  declined_.push_back({describe(node), std::move(reason)});
}

}  // namespace hone
