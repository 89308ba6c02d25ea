#include "transform/step_noise.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

constexpr float relative_noise = 0x1p-17F;

bool is_single(const Value* value) {
  if (value == nullptr) return false;
  if (const TensorPtr tensor = value->constant()) return tensor->type == ElementType::float32;
  return value->type.element == ElementType::float32;
}

// A picture of bytes. Sizes and places, which noise must not touch, are of more bits.
bool is_to_bytes(const Node& cast) {
  const auto type = static_cast<ElementType>(cast.int_or("to", 0));
  return type == ElementType::uint8 || type == ElementType::int8;
}

// Whether the first input is a float32 that becomes an integer. QuantizeLinear takes halves, too,
// which have coarser last bits than this noise; its scale has the type of what it quantizes.
bool quantizes_single(const Node& node) {
  constexpr auto takes_single = std::to_array<std::string_view>(
      {"DynamicQuantizeLinear", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM"});
  if (node.input(0) == nullptr) return false;
  if (std::ranges::count(takes_single, node.op_type) > 0) return true;
  if (node.op_type == "QuantizeLinear") return is_single(node.input(1));
  return node.is("Cast") && is_to_bytes(node) && is_single(node.input(0));
}

void add_noise(Graph& graph, Node& node, std::uint64_t seed) {
  Value* clean = node.input(0);
  Value& noise = graph.add_value("noise");
  Value& noisy = graph.add_value("noisy");
  Node& random = graph.insert_before(node, "RandomUniformLike", {clean}, {&noise});
  random.set_attribute(make_attribute("low", 1 - relative_noise));
  random.set_attribute(make_attribute("high", 1 + relative_noise));
  random.set_attribute(make_attribute("seed", static_cast<float>(seed)));
  graph.insert_before(node, "Mul", {clean, &noise}, {&noisy});
  node.set_input(0, &noisy);
}

}  // namespace

std::optional<Model> with_noise_before_steps(const Model& model, std::uint64_t seed) {
  Model copy = clone(model);
  std::uint64_t count = 0;
  for_each_graph(copy, [&](Graph& graph) {
    for (Node* node : graph.node_list()) {
      if (quantizes_single(*node)) add_noise(graph, *node, seed * 1009 + count++);
    }
  });
  if (count == 0) return std::nullopt;
  return copy;
}

}  // namespace hone
