#include "inspect/debug/shadows.h"

#include <algorithm>
#include <map>

#include "inspect/quantized_ops.h"
#include "model/edit.h"

namespace hone {
namespace {

// REQUIRES: no graphs inside.
Attribute copy_of(const Attribute& attribute) {
  Attribute copy;
  copy.name = attribute.name;
  copy.declared = attribute.declared;
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (!std::is_same_v<Held, std::unique_ptr<Graph>> &&
                      !std::is_same_v<Held, std::vector<std::unique_ptr<Graph>>>)
          copy.held = held;
      },
      attribute.held);
  return copy;
}

class Shadows {
 public:
  Shadows(Model& float_model, const Halves& halves, const Counterparts& counterparts)
      : graph_(*float_model.graph), halves_(halves), counterparts_(counterparts) {}

  // Null: there is none.
  Value* of(const Track& track) {
    const Value* original = track.original;
    if (original == nullptr || &original->graph() != &graph_) return nullptr;
    const Node* maker = track.rounded.in_half;
    if (maker == nullptr) return rounded(*graph_.find(original->name()), track.rounded.type);
    const Node* same = counterparts_.of(*maker);
    if (same == nullptr || same != original->producer() || !same->subgraphs().empty() ||
        same->inputs().size() != maker->inputs().size())
      return nullptr;
    Value* made = shadow_of(*same, *maker)->output(original->output_index());
    return made != nullptr ? rounded(*made, track.rounded.type) : nullptr;
  }

 private:
  Node* shadow_of(const Node& original, const Node& half) {
    if (const auto known = shadows_.find(&original); known != shadows_.end()) return known->second;
    std::vector<Value*> inputs;
    for (std::size_t i = 0; i < original.inputs().size(); ++i)
      inputs.push_back(input_of(original.input(i), half.input(i)));
    std::vector<Value*> outputs;
    for (const Value* output : original.outputs()) {
      outputs.push_back(output == nullptr
                            ? nullptr
                            : &graph_.add_value(output->name() + "_in_half", output->type));
    }
    Node& shadow = graph_.add_node(original.op_type, std::move(inputs), std::move(outputs));
    shadow.domain = original.domain;
    shadow.overload = original.overload;
    for (const Attribute& attribute : original.attributes)
      shadow.attributes.push_back(copy_of(attribute));
    return shadows_[&original] = &shadow;
  }

  Value* input_of(Value* original, const Value* half) {
    const auto type = halves_.types.find(half);
    if (original == nullptr || type == halves_.types.end()) return original;
    if (const TensorPtr stored = weight_behind(half)) return stored_weight(*half, *stored);
    return rounded(*original, type->second);
  }

  Value* stored_weight(const Value& half, const Tensor& stored) {
    Value*& known = weights_[&half];
    if (known != nullptr) return known;
    auto named = std::make_shared<Tensor>(stored);
    named->name = half.name() + "_in_half";
    return known = &graph_.add_initializer(std::move(named));
  }

  Value* rounded(Value& value, ElementType type) {
    Value*& known = rounded_[{&value, type}];
    if (known != nullptr) return known;
    Type half_type = value.type.is_tensor() ? value.type : Type::tensor(type);
    half_type.element = type;
    Type float_type = half_type;
    float_type.element = ElementType::float32;
    Value& half = graph_.add_value(value.name() + "_rounded_to_" + name_of(type), half_type);
    Value& left = graph_.add_value(value.name() + "_rounded", float_type);
    add_cast(value, half);
    add_cast(half, left);
    return known = &left;
  }

  void add_cast(Value& from, Value& to) {
    Node& cast = graph_.add_node("Cast", {&from}, {&to});
    cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(to.type.element)));
  }

  Graph& graph_;
  const Halves& halves_;
  const Counterparts& counterparts_;
  std::map<const Node*, Node*> shadows_;
  std::map<const Value*, Value*> weights_;
  std::map<std::pair<const Value*, ElementType>, Value*> rounded_;
};

// Puts what was added behind the last node it reads from, so that a stretch of the model holds its
// shadows. REQUIRES: the first `before` nodes are in topological order, and each of the others
// reads earlier ones alone.
void move_up(Graph& graph, std::size_t before) {
  std::vector<Node*> nodes = graph.node_list();
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::size_t last = 0;
    for (const Value* input : nodes[i]->inputs()) {
      const auto maker = place.find(input != nullptr ? input->producer() : nullptr);
      if (maker != place.end()) last = std::max(last, maker->second);
    }
    place[nodes[i]] = i < before ? i : last;
  }
  std::ranges::stable_sort(nodes, {}, [&](const Node* node) { return place.at(node); });
  graph.reorder(nodes);
}

}  // namespace

Status add_shadows(Model& float_model, const Halves& halves, const Counterparts& counterparts,
                   Tracks& tracks) {
  HONE_TRY_DO(sort_topologically(*float_model.graph));
  const std::size_t before = float_model.graph->nodes().size();
  Shadows shadows(float_model, halves, counterparts);
  for (Track& track : tracks.tensors) {
    if (!is_half(track.rounded.type)) continue;
    track.shadow_at = shadows.of(track);
  }
  move_up(*float_model.graph, before);
  return done();
}

}  // namespace hone
