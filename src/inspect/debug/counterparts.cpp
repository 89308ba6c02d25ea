#include "inspect/debug/counterparts.h"

#include <array>
#include <cmath>

#include "inspect/debug/half.h"
#include "inspect/quantized_ops.h"

namespace hone {
namespace {

constexpr std::array<std::string_view, 6> suffixes = {
    "_DequantizeLinear_Output",   "_QuantizeLinear_Input",
    "_DequantizeLinear_Output_1", "_dequantized",
    "_DequantizeLinear",          "_quantized"};

// A float weight of unknown content: what a DequantizeLinear of integers looks like without it.
TensorPtr without_values(const Tensor& stored, const std::string& name) {
  auto tensor = std::make_shared<Tensor>();
  tensor->name = without_suffix(name);
  tensor->type = ElementType::float32;
  tensor->dims = stored.dims;
  tensor->absent = true;
  return tensor;
}

// Goes around one DequantizeLinear. Its node stays, with no reader.
Value* bypass(Graph& graph, Node& dequantize) {
  Value* integers = dequantize.input(0);
  Value* floats = dequantize.output(0);
  if (integers == nullptr || floats == nullptr) return nullptr;
  Value* source = nullptr;
  if (is_quantize(integers->producer())) {
    source = integers->producer()->input(0);
  } else if (const TensorPtr stored = weight_behind(integers)) {
    source = &graph.add_initializer(without_values(*stored, floats->name()));
  }
  if (source == nullptr) return nullptr;
  const std::vector<Use> uses = floats->uses();
  for (const Use& use : uses) use.node->set_input(use.index, source);
  return source;
}

// Goes around the two Casts of a rounding, and takes them out.
Value* bypass_rounding(Graph& graph, Node& up) {
  Value* floats = up.output(0);
  Node* down = up.input(0)->producer();
  Value* source = down->input(0);
  const std::vector<Use> uses = floats->uses();
  for (const Use& use : uses) use.node->set_input(use.index, source);
  if (floats->is_graph_output()) return source;
  graph.remove_node(up);
  if (!down->output(0)->is_used()) graph.remove_node(*down);
  return source;
}

using ValueMap = std::unordered_map<const Value*, const Value*>;
using NodeMap = std::unordered_map<const Node*, const Node*>;

// Both graphs are the same but for their addresses.
void map_copies(const Graph& from, const Graph& to, ValueMap& values, NodeMap& nodes) {
  const std::vector<Value*> copies = to.values();
  std::size_t next = 0;
  for (const Value* value : from.values()) values.emplace(value, copies.at(next++));
  auto copy = to.nodes().begin();
  for (const Node& node : from.nodes()) {
    nodes.emplace(&node, &*copy);
    const std::vector<Graph*> inner = node.subgraphs();
    const std::vector<Graph*> inner_copies = copy->subgraphs();
    for (std::size_t i = 0; i < inner.size(); ++i)
      map_copies(*inner[i], *inner_copies[i], values, nodes);
    ++copy;
  }
}

void match_inside(const Node& bare, const Node& original, Matching& matching) {
  const std::vector<Graph*> ours = bare.subgraphs();
  const std::vector<Graph*> theirs = original.subgraphs();
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    matching.match(*ours[i], *theirs[i]);
    for (const Node& node : ours[i]->nodes()) {
      if (const Node* partner = matching.partner(node)) match_inside(node, *partner, matching);
    }
  }
}

bool is_clamp(const Node* node) {
  return node != nullptr && (node->is("Relu") || node->is("Clip"));
}

}  // namespace

std::string without_suffix(const std::string& name) {
  for (const std::string_view suffix : suffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

Counterparts::Counterparts(const Model& float_model, const Model& quantized_model)
    : float_model_(float_model), bare_(clone(quantized_model)) {
  map_copies(*quantized_model.graph, *bare_.graph, bare_values_, bare_nodes_);
  ValueMap sources;
  for_each_graph(bare_, [&](Graph& graph) {
    for (Node* node : graph.node_list()) {
      if (node->is_removed()) continue;
      const Value* floats = node->output(0);
      const Value* source = ends_rounding(node)   ? bypass_rounding(graph, *node)
                            : is_dequantize(node) ? bypass(graph, *node)
                                                  : nullptr;
      if (source != nullptr) sources.emplace(floats, source);
    }
  });
  for (auto& [original, bare] : bare_values_) {
    // More than one step where one pair follows another.
    for (auto at = sources.find(bare); at != sources.end(); at = sources.find(bare))
      bare = at->second;
  }
  matching_.match(*bare_.graph, *float_model.graph);
  for (const Node& node : bare_.graph->nodes()) {
    if (const Node* partner = matching_.partner(node)) match_inside(node, *partner, matching_);
  }
}

const Node* Counterparts::of(const Node& quantized) const {
  const auto bare = bare_nodes_.find(&quantized);
  return bare == bare_nodes_.end() ? nullptr : matching_.partner(*bare->second);
}

const Value* Counterparts::by_readers(const Value& bare) const {
  for (const Use& use : bare.uses()) {
    const Node* reader = matching_.partner(*use.node);
    const Value* read = reader == nullptr ? nullptr : reader->input(use.index);
    if (read != nullptr) return read;
  }
  return nullptr;
}

const Value* Counterparts::by_producer(const Value& bare) const {
  if (bare.producer() == nullptr) return matching_.partner(bare);
  const Node* producer = matching_.partner(*bare.producer());
  return producer == nullptr ? nullptr : producer->output(bare.output_index());
}

const Value* Counterparts::by_name(const Value& quantized) const {
  const Value* same = float_model_.graph->find(quantized.name());
  return same != nullptr ? same : float_model_.graph->find(without_suffix(quantized.name()));
}

Counterpart Counterparts::of(const Value& before, const Value& after) const {
  const auto found = bare_values_.find(&before);
  if (found == bare_values_.end()) return {};
  const Value& bare = *found->second;
  Counterpart counterpart;
  // Readers first: where a Relu is left out, its producer is the node before it.
  counterpart.value = by_readers(bare);
  if (counterpart.value == nullptr) counterpart.value = by_name(before);
  if (counterpart.value == nullptr) counterpart.value = by_name(after);
  if (counterpart.value == nullptr) counterpart.value = by_producer(bare);
  if (counterpart.value == nullptr) return {};
  const Node* producer = counterpart.value->producer();
  const bool is_left_out = is_clamp(producer) && !matching_.is_taken(*producer) &&
                           bare.producer() != nullptr && !same_op(*bare.producer(), *producer);
  if (is_left_out) counterpart.absorbed = producer;
  return counterpart;
}

Bounds bounds_of(const Node& node) {
  if (node.is("Relu")) return {.low = 0};
  Bounds bounds;
  const auto read = [&](std::size_t index, const char* attribute, double& bound) {
    if (const Attribute* given = node.attribute(attribute); given && given->as_float())
      bound = *given->as_float();
    const TensorPtr tensor = weight_behind(node.input(index));
    if (!tensor || tensor->element_count() != 1 || !is_float(tensor->type)) return;
    const auto numbers = to_doubles(*tensor);
    if (numbers && !std::isnan(numbers->front())) bound = numbers->front();
  };
  read(1, "min", bounds.low);
  read(2, "max", bounds.high);
  return bounds;
}

}  // namespace hone
