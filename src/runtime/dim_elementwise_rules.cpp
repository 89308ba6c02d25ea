// Operators that compute element by element.

#include <algorithm>
#include <array>
#include <span>

#include "runtime/dim_rules.h"

namespace hone {
namespace {

// The numbers, and their scale and zero point.
void quantize_dynamically(DimTracer& tracer, const Node& node) {
  keep_shape(tracer, node);
  tracer.set_shape(node.output(1), {});
  tracer.set_shape(node.output(2), {});
}

void combine(DimTracer& tracer, const Node& node, std::span<Value* const> inputs) {
  std::optional<DimIds> made;
  for (const Value* input : inputs) {
    if (input == nullptr) continue;
    const DimIds* dims = tracer.shape(input);
    if (dims == nullptr) return;
    made = made ? broadcast(tracer, *made, *dims) : *dims;
  }
  if (made) tracer.set_shape(node.output(0), *std::move(made));
}

void elementwise(DimTracer& tracer, const Node& node) { combine(tracer, node, node.inputs()); }

// Two tensors, each with its scale and zero point behind it.
void quantized_elementwise(DimTracer& tracer, const Node& node) {
  const std::array inputs = {node.input(0), node.input(3)};
  combine(tracer, node, inputs);
}

constexpr auto rules = std::to_array<DimRuleRow>({
    {"DynamicQuantizeLinear", quantize_dynamically},
    {"QLinearAdd", quantized_elementwise},
    {"QLinearMul", quantized_elementwise},
});

constexpr auto broadcasting = std::to_array<std::string_view>(
    {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min",
     "Mod", "Or", "PRelu", "Pow", "Sum", "Where", "Xor", "BiasGelu", "BitwiseAnd"});

constexpr auto shape_keeping = std::to_array<std::string_view>({"Abs",
                                                                "BiasAdd",
                                                                "Cast",
                                                                "CastLike",
                                                                "Ceil",
                                                                "Celu",
                                                                "Clip",
                                                                "Cos",
                                                                "CumSum",
                                                                "DequantizeLinear",
                                                                "Dropout",
                                                                "Elu",
                                                                "Erf",
                                                                "Exp",
                                                                "FastGelu",
                                                                "Floor",
                                                                "Gelu",
                                                                "HardSigmoid",
                                                                "HardSwish",
                                                                "Identity",
                                                                "IsNaN",
                                                                "LeakyRelu",
                                                                "Log",
                                                                "LogSoftmax",
                                                                "LRN",
                                                                "LpNormalization",
                                                                "Mish",
                                                                "Neg",
                                                                "Not",
                                                                "QLinearLeakyRelu",
                                                                "QLinearSigmoid",
                                                                "QuantizeLinear",
                                                                "QuickGelu",
                                                                "Reciprocal",
                                                                "Relu",
                                                                "RotaryEmbedding",
                                                                "Round",
                                                                "Selu",
                                                                "Shrink",
                                                                "Sigmoid",
                                                                "Sign",
                                                                "Sin",
                                                                "Softmax",
                                                                "Softplus",
                                                                "Softsign",
                                                                "Sqrt",
                                                                "Tanh",
                                                                "ThresholdedRelu",
                                                                "Trilu"});

}  // namespace

void keep_shape(DimTracer& tracer, const Node& node) {
  if (const DimIds* dims = tracer.shape(node.input(0)))
    tracer.set_shape(node.output(0), DimIds(*dims));
  if (const ShapeNumbers* numbers = tracer.numbers(node.input(0)))
    tracer.set_numbers(node.output(0), ShapeNumbers(*numbers));
}

DimRule find_elementwise_rule(std::string_view op) {
  const auto row = std::ranges::find(rules, op, &DimRuleRow::op);
  if (row != rules.end()) return row->rule;
  if (std::ranges::find(broadcasting, op) != broadcasting.end()) return elementwise;
  if (std::ranges::find(shape_keeping, op) != shape_keeping.end()) return keep_shape;
  return nullptr;
}

}  // namespace hone
