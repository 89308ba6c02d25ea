#include "transform/quantize/op_rules.h"

#include <algorithm>
#include <array>

#include "transform/patterns.h"

namespace hone {
namespace {

void mark_conv(PlanBuilder& plan, Node& node) {
  plan.mark_activation(node.input(0));
  plan.mark_activation(node.output(0));
  plan.mark_weight(node.input(1), node.is("ConvTranspose") ? 1 : 0);
  plan.mark_bias(node, 2);
}

void mark_gemm(PlanBuilder& plan, Node& node) {
  plan.mark_activation(node.input(0));
  plan.mark_activation(node.output(0));
  plan.mark_weight(node.input(1), node.int_or("transB", 0) != 0 ? 0 : 1);
  plan.mark_bias(node, 2, node.float_or("beta", 1));
}

void mark_matmul(PlanBuilder& plan, Node& node) {
  for (Value* input : node.inputs()) {
    plan.mark_weight(input, 1, plan.settings().preset.has_per_channel_matmul);
  }
  plan.mark_activation(node.output(0));
}

void mark_normalization(PlanBuilder& plan, Node& node) {
  plan.mark_activation(node.input(0));
  plan.mark_weight(node.input(1), 1);
  plan.mark_bias(node, 2);
  for (Value* output : node.outputs()) plan.mark_activation(output);
}

// Relu and Clip: what they cut off, the quantized range does not reach.
void mark_removable(PlanBuilder& plan, Node& node) {
  if (!plan.is_marked(node.input(0))) return;
  if (plan.try_to_remove(node)) return;
  plan.mark_activation(node.input(0));
  plan.mark_activation(node.output(0));
}

// Ops that hand on numbers of their first input.
void mark_moved(PlanBuilder& plan, Node& node) {
  if (plan.settings().preset.quantizes_moved_data) plan.mark_activation(node.input(0));
  if (plan.is_marked(node.input(0))) plan.mark_same(node.output(0), node.input(0));
}

void mark_gather(PlanBuilder& plan, Node& node) {
  if (plan.constant_of(node.input(0))) plan.mark_activation(node.input(0));
  mark_moved(plan, node);
}

void mark_split(PlanBuilder& plan, Node& node) {
  plan.mark_activation(node.input(0));
  for (Value* output : node.outputs()) plan.mark_same(output, node.input(0));
}

bool pads_with_zero(const PlanBuilder& plan, const Node& pad) {
  const std::string mode = pad.string_or("mode", "constant");
  if (mode != "constant") return true;  // with numbers of the input
  if (plan.opset() < 11) return pad.float_or("value", 0) == 0;
  return pad.input(2) == nullptr || scalar_of(pad.input(2)) == 0;
}

void mark_pad(PlanBuilder& plan, Node& node) {
  for (Value* input : node.inputs()) plan.mark_activation(input);
  if (pads_with_zero(plan, node)) {
    plan.mark_same(node.output(0), node.input(0));
  } else {
    plan.mark_activation(node.output(0));
  }
}

void mark_where(PlanBuilder& plan, Node& node) {
  if (plan.settings().preset.quantizes_moved_data) {
    plan.mark_activation(node.input(1));
    plan.mark_activation(node.input(2));
  }
  if (plan.is_marked(node.input(1)) && plan.is_marked(node.input(2)))
    plan.mark_activation(node.output(0));
}

constexpr unsigned in_all = in_ort | in_cpu | in_openvino;
constexpr unsigned in_both = in_ort | in_openvino;  // ONNX Runtime's CPU EP has no integer kernel
constexpr unsigned in_new = in_cpu | in_openvino;   // ONNX Runtime's tools leave them in float

constexpr auto rules = std::to_array<QuantizeRule>({
    // With weights.
    {"Conv", mark_conv, in_all},
    {"ConvTranspose", mark_conv, in_both},
    {"Gemm", mark_gemm, in_all},
    {"MatMul", mark_matmul, in_all},
    {"InstanceNormalization", mark_normalization, in_ort},
    {"LayerNormalization", mark_normalization, in_ort},
    {"BatchNormalization", mark_normalization, in_ort},
    {"EmbedLayerNormalization", mark_all, in_ort},
    // That compute.
    {"Add", mark_all, in_all},
    {"Mul", mark_all, in_all},
    {"Relu", mark_removable, in_all},
    {"Clip", mark_removable, in_all},
    {"LeakyRelu", mark_all, in_all},
    {"Sigmoid", mark_all, in_all},
    {"Tanh", mark_all, in_openvino},
    {"Softmax", mark_all, in_ort | in_cpu},
    {"GlobalAveragePool", mark_all, in_all},
    {"AveragePool", mark_moved, in_all},
    {"ArgMax", mark_all, in_ort | in_cpu},
    {"CumSum", mark_all, in_ort},
    // That move numbers.
    {"Concat", mark_all, in_all},
    {"Split", mark_split, in_all},
    {"Where", mark_where, in_all},
    {"Pad", mark_pad, in_both},
    {"Gather", mark_gather, in_all},
    {"GatherElements", mark_gather, in_all},
    {"Reshape", mark_moved, in_all},
    {"Transpose", mark_moved, in_all},
    {"Squeeze", mark_moved, in_all},
    {"Unsqueeze", mark_moved, in_all},
    {"Flatten", mark_moved, in_all},
    {"Slice", mark_moved, in_all},
    {"TopK", mark_moved, in_ort},
    {"Resize", mark_moved, in_all, 11},
    {"MaxPool", mark_moved, in_all, 12},
    {"Expand", mark_moved, in_new},
    {"Tile", mark_moved, in_new},
    {"DepthToSpace", mark_moved, in_new},
    {"SpaceToDepth", mark_moved, in_openvino},
    {"ReduceMax", mark_moved, in_new},
    {"ReduceMin", mark_moved, in_new},
});

}  // namespace

const QuantizeRule* find_rule(std::string_view op) {
  const auto found = std::ranges::find(rules, op, &QuantizeRule::op);
  return found != rules.end() ? &*found : nullptr;
}

void mark_all(PlanBuilder& plan, Node& node) {
  for (Value* input : node.inputs()) plan.mark_activation(input);
  for (Value* output : node.outputs()) plan.mark_activation(output);
}

}  // namespace hone
