#include "inspect/debug/pairs.h"

#include <cmath>

#include "inspect/quantized_ops.h"

namespace hone {
namespace {

bool is_integer(ElementType type) { return !is_float(type) && bits_of(type) > 0; }

bool is_unsigned(ElementType type) {
  return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint4 ||
         type == ElementType::uint2 || type == ElementType::uint32;
}

// A scalar, or a list of one.
std::optional<double> single(const Value* value) {
  const TensorPtr tensor = weight_behind(value);
  if (!tensor || tensor->element_count() != 1) return std::nullopt;
  if (is_float(tensor->type)) {
    const auto numbers = to_doubles(*tensor);
    return numbers ? std::optional(numbers->front()) : std::nullopt;
  }
  const auto numbers = to_ints(*tensor);
  return numbers ? std::optional(static_cast<double>(numbers->front())) : std::nullopt;
}

std::optional<UniformGrid> grid_of(const Node& quantize, ElementType type) {
  const auto scale = single(quantize.input(1));
  const auto zero_point = quantize.input(2) != nullptr ? single(quantize.input(2)) : 0.0;
  if (!scale || !zero_point || !is_integer(type) || bits_of(type) > 32) return std::nullopt;
  if (!std::isfinite(*scale) || *scale <= 0) return std::nullopt;
  UniformGrid grid{*scale, *zero_point, bits_of(type)};
  const double levels = std::ldexp(1.0, grid.bits);
  const double lowest = is_unsigned(type) ? 0 : -levels / 2;
  grid.low = (lowest - grid.zero_point) * grid.scale;
  grid.high = (lowest + levels - 1 - grid.zero_point) * grid.scale;
  return grid;
}

class Finder {
 public:
  void look_at(const Node& node) {
    const QuantizedOp* op = quantized_op(node);
    if (op == nullptr) return;
    if (is_quantize(&node)) {
      add_quantize(node);
    } else if (is_dequantize(&node)) {
      add_dequantize(node);
    } else {
      add_odd(node);
    }
  }

  Quantization take() { return std::move(found_); }

 private:
  // All that dequantize the same integers make the same floats: one of them stands for all.
  static Value* first_dequantized(const Value& integers) {
    for (const Use& use : integers.uses()) {
      if (use.index == 0 && is_dequantize(use.node)) return use.node->output(0);
    }
    return nullptr;
  }

  void add_quantize(const Node& node) {
    Value* before = node.input(0);
    const Value* integers = node.output(0);
    if (before == nullptr || integers == nullptr) return;
    Value* after = first_dequantized(*integers);
    if (after == nullptr) {
      found_.odd.push_back(
          {before->name(), "activation",
           "its integers go on to " + reader_of(*integers) + " and are not made floats again"});
      return;
    }
    if (const TensorPtr stored = weight_behind(before)) {
      found_.weights.push_back({after, after->producer(), &node, stored, quantized_type(node)});
      return;
    }
    const ElementType type = quantized_type(node);
    found_.tensors.push_back({before, after, &node, type, grid_of(node, type), nullptr});
  }

  void add_dequantize(const Node& node) {
    const Value* integers = node.input(0);
    Value* after = node.output(0);
    if (integers == nullptr || after == nullptr || is_quantize(integers->producer())) return;
    if (const TensorPtr stored = weight_behind(integers)) {
      found_.weights.push_back({after, &node, nullptr, stored, stored->type});
      return;
    }
    found_.odd.push_back({after->name(), "activation",
                          "it was computed in integers, so what was rounded is not there to see"});
  }

  // Operators that compute on integers, or take weights in a form of their own.
  void add_odd(const Node& node) {
    const Value* output = node.output(0);
    if (output == nullptr) return;
    found_.odd.push_back({output->name(), "activation",
                          "it is made by " + node.op_type + ", which quantizes inside"});
  }

  static std::string reader_of(const Value& value) {
    return value.uses().empty() ? "no node" : value.uses().front().node->op_type;
  }

  Quantization found_;
};

}  // namespace

Quantization find_quantization(const Model& model) {
  Finder finder;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) finder.look_at(node);
  });
  return finder.take();
}

}  // namespace hone
