#include "inspect/debug/half_types.h"

#include <algorithm>
#include <array>

#include "inspect/debug/half.h"
#include "inspect/quantized_ops.h"
#include "transform/quantize/fp16_ops.h"

namespace hone {
namespace {

// They make integers or truth values, whatever they are given.
constexpr auto other_ops = std::to_array<std::string_view>(
    {"And", "ArgMax", "ArgMin", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less",
     "LessOrEqual", "NonMaxSuppression", "NonZero", "Not", "Or", "Shape", "Size", "Xor"});

class TypeFinder {
 public:
  void look_at(const Graph& graph) {
    for (const Value* value : graph.values()) note(value, declared(*value));
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (output != nullptr && !types_.contains(output))
          note(output, made_by(node, output->output_index()));
      }
    }
  }

  std::unordered_map<const Value*, ElementType> take_halves() {
    std::erase_if(types_, [](const auto& entry) { return !is_half(entry.second); });
    return std::move(types_);
  }

 private:
  static ElementType declared(const Value& value) {
    if (const TensorPtr stored = weight_behind(&value)) return stored->type;
    return value.type.is_tensor() ? value.type.element : ElementType::undefined;
  }

  void note(const Value* value, ElementType type) {
    if (type != ElementType::undefined) types_.emplace(value, type);
  }

  ElementType made_by(const Node& node, std::size_t index) const {
    if (node.is("Cast")) return static_cast<ElementType>(node.int_or("to", 0));
    const bool is_other =
        node.is_default_domain() && std::ranges::binary_search(other_ops, node.op_type);
    if (is_other || is_quantize(&node)) return ElementType::int64;
    if (makes_float(node, index)) return ElementType::float32;
    for (const Value* input : node.inputs()) {
      const auto known = types_.find(input);
      if (known != types_.end() && is_float(known->second)) return known->second;
    }
    return ElementType::undefined;
  }

  std::unordered_map<const Value*, ElementType> types_;
};

}  // namespace

std::unordered_map<const Value*, ElementType> half_values(const Model& model) {
  TypeFinder finder;
  for_each_graph(model, [&](const Graph& graph) { finder.look_at(graph); });
  return finder.take_halves();
}

}  // namespace hone
