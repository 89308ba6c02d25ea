#include "inspect/analyze/integer_kernels.h"

#include <algorithm>

#include "inspect/facts.h"
#include "inspect/quantized_ops.h"

namespace hone {
namespace {

using OpCounts = std::map<std::string, std::uint64_t>;

const Node* dequantizer_of(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return is_dequantize(node) ? node : nullptr;
}

bool is_quantized_again(const Node& node) {
  return std::ranges::any_of(node.outputs(), [](const Value* output) {
    return output != nullptr && std::ranges::any_of(output->uses(), [](const Use& use) {
             return is_quantize(use.node);
           });
  });
}

bool is_quantized_float(const Node& node) {
  if (quantized_op(node) != nullptr) return false;
  bool has_dequantized = false;
  bool has_small_weight = false;
  for (const Value* input : node.inputs()) {
    const Node* dequantizer = dequantizer_of(input);
    if (dequantizer == nullptr) continue;
    has_dequantized = true;
    has_small_weight |= weight_behind(dequantizer->input(0)) != nullptr;
  }
  return has_dequantized && (has_small_weight || is_quantized_again(node));
}

template <class Test>
OpCounts count_where(const Model& model, const Test& holds) {
  OpCounts counts;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (holds(node)) ++counts[name_of_op(node)];
    }
  });
  return counts;
}

std::uint64_t total(const OpCounts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [op, count] : counts) sum += count;
  return sum;
}

}  // namespace

OpCounts count_quantized_floats(const Model& model) {
  return count_where(model, is_quantized_float);
}

OpCounts count_integer_ops(const Model& model) {
  return count_where(model, [](const Node& node) {
    const QuantizedOp* op = quantized_op(node);
    // DynamicQuantizeLinear prepares what others compute with.
    return op != nullptr && op->compute != QuantizedCompute::converts &&
           node.op_type != "DynamicQuantizeLinear";
  });
}

IntegerKernels find_integer_kernels(const TransformTools& tools, const Model& model) {
  IntegerKernels found;
  found.quantized_nodes = total(count_quantized_floats(model)) + total(count_integer_ops(model));
  tools.progress("finding integer kernels");
  const auto lowered = lower_for_cpu(tools.runtime, model);
  if (!lowered) {
    found.error = lowered.error().cause.empty() ? lowered.error().what : lowered.error().cause;
    return found;
  }
  found.kernels = count_integer_ops(lowered->model);
  found.not_fused = count_quantized_floats(lowered->model);
  const std::uint64_t left = total(found.not_fused);
  found.fused = found.quantized_nodes > left ? found.quantized_nodes - left : 0;
  return found;
}

}  // namespace hone
