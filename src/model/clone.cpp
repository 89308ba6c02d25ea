// Deep copies of graphs. Tensors are immutable, so copies share them.

#include <unordered_map>

#include "model/edit.h"
#include "model/extract.h"
#include "model/inline_branch.h"
#include "model/model.h"

namespace hone {
namespace {

using Twins = std::unordered_map<const Value*, Value*>;

void clone_graph(const Graph& from, Graph& to, Twins& twins);

// Copies what an attribute holds; subgraphs become children of `parent`.
struct Copier {
  Graph& parent;
  Twins& twins;

  std::unique_ptr<Graph> copy_graph(const Graph& graph) const {
    auto copy = std::make_unique<Graph>(&parent);
    clone_graph(graph, *copy, twins);
    return copy;
  }
  template <class T>
  Attribute::Held operator()(const T& value) const {
    return value;
  }
  Attribute::Held operator()(const std::unique_ptr<Graph>& graph) const {
    return copy_graph(*graph);
  }
  Attribute::Held operator()(const std::vector<std::unique_ptr<Graph>>& graphs) const {
    std::vector<std::unique_ptr<Graph>> copies;
    for (const auto& graph : graphs) copies.push_back(copy_graph(*graph));
    return copies;
  }
};

Attribute clone_attribute(const Attribute& from, Graph& parent, Twins& twins) {
  Attribute to;
  to.name = from.name;
  to.held = std::visit(Copier{parent, twins}, from.held);
  to.reference = from.reference;
  to.declared = from.declared;
  to.doc = from.doc;
  to.unknown = from.unknown;
  return to;
}

// What has no twin lies in a graph around the copied one, and is used as it is.
std::vector<Value*> twins_of(const std::vector<Value*>& values, const Twins& twins) {
  std::vector<Value*> found;
  for (Value* value : values) {
    const auto twin = twins.find(value);
    found.push_back(twin != twins.end() ? twin->second : value);
  }
  return found;
}

void clone_values(const Graph& from, Graph& to, Twins& twins) {
  for (const Value* value : from.values()) {
    Value& twin = to.declare_value(value->name());
    twin.type = value->type;
    twin.doc = value->doc;
    twin.metadata = value->metadata;
    twin.unknown = value->unknown;
    to.set_initializer(twin, value->initializer());
    to.set_sparse_initializer(twin, value->sparse_initializer());
    twins.emplace(value, &twin);
  }
}

Node& clone_node(const Node& node, Graph& to, Twins& twins) {
  Node& twin =
      to.add_node(node.op_type, twins_of(node.inputs(), twins), twins_of(node.outputs(), twins));
  twin.domain = node.domain;
  twin.name = node.name;
  twin.overload = node.overload;
  twin.doc = node.doc;
  twin.metadata = node.metadata;
  twin.unknown = node.unknown;
  for (const Attribute& attribute : node.attributes) {
    twin.attributes.push_back(clone_attribute(attribute, to, twins));
  }
  return twin;
}

void clone_graph(const Graph& from, Graph& to, Twins& twins) {
  to.name = from.name;
  to.doc = from.doc;
  to.metadata = from.metadata;
  to.unknown = from.unknown;
  clone_values(from, to, twins);
  for (Value* input : twins_of(from.inputs(), twins)) to.add_input(*input);
  for (const Node& node : from.nodes()) clone_node(node, to, twins);
  for (Value* output : twins_of(from.outputs(), twins)) to.add_output(*output);
}

Function clone_function(const Function& from) {
  Function to;
  to.domain = from.domain;
  to.name = from.name;
  to.overload = from.overload;
  to.doc = from.doc;
  to.opsets = from.opsets;
  to.attribute_names = from.attribute_names;
  to.metadata = from.metadata;
  to.unknown = from.unknown;
  to.body = std::make_unique<Graph>();
  Twins twins;
  clone_graph(*from.body, *to.body, twins);
  for (const Attribute& attribute : from.attribute_defaults) {
    to.attribute_defaults.push_back(clone_attribute(attribute, *to.body, twins));
  }
  return to;
}

// All but the main graph.
Model clone_frame(const Model& model) {
  Model copy;
  copy.ir_version = model.ir_version;
  copy.opsets = model.opsets;
  copy.producer_name = model.producer_name;
  copy.producer_version = model.producer_version;
  copy.domain = model.domain;
  copy.model_version = model.model_version;
  copy.doc = model.doc;
  copy.metadata = model.metadata;
  copy.unknown = model.unknown;
  copy.source = model.source;
  for (const Function& function : model.functions)
    copy.functions.push_back(clone_function(function));
  return copy;
}

}  // namespace

Model clone(const Model& model) {
  Model copy = clone_frame(model);
  Twins twins;
  clone_graph(*model.graph, *copy.graph, twins);
  return copy;
}

std::vector<Value*> inline_branch(const Node& holder, const Graph& branch) {
  Graph& graph = holder.graph();
  Twins twins;
  for (const Value* value : branch.values()) {
    Value& twin = graph.add_value(value->name(), value->type);
    graph.set_initializer(twin, value->initializer());
    graph.set_sparse_initializer(twin, value->sparse_initializer());
    twins.emplace(value, &twin);
  }
  for (const Node& node : branch.nodes()) graph.move_before(clone_node(node, graph, twins), holder);
  return twins_of(branch.outputs(), twins);
}

Model extract(const Model& model, const ModelPart& part) {
  Model copy = clone_frame(model);
  Graph& graph = *copy.graph;
  graph.name = model.graph->name;
  Twins twins;
  clone_values(*model.graph, graph, twins);
  for (const Value* input : part.inputs) graph.add_input(*twins.at(input));
  for (const Node* node : part.nodes) clone_node(*node, graph, twins);
  for (const Value* output : part.outputs) graph.add_output(*twins.at(output));
  remove_unused_initializers(graph);
  for (Value* value : graph.values()) {
    const bool is_left_out =
        !value->is_used() && value->producer() == nullptr && !value->is_graph_input();
    if (is_left_out) graph.remove_value(*value);
  }
  return copy;
}

}  // namespace hone
