#include "transform/quantize/constant_matmul.h"

namespace hone {
namespace {

// Why a Gemm is not a MatMul and an Add; empty when it is.
std::string why_no_matmul(const Node& gemm, std::int64_t opset) {
  if (gemm.int_or("transA", 0) != 0) return "it transposes its first input";
  if (gemm.float_or("alpha", 1) != 1 || gemm.float_or("beta", 1) != 1) {
    return "its alpha or beta is not 1";
  }
  // Before, Add does not broadcast as a Gemm does.
  if (opset < 7 && gemm.input(2) != nullptr) return "its bias needs opset 7";
  return {};
}

std::string why_no_weight(const Value* weight) {
  const TensorPtr tensor = weight != nullptr ? weight->constant() : nullptr;
  if (!tensor) return "its second input is no constant";
  if (tensor->type != ElementType::float32 && tensor->type != ElementType::float16) {
    return "its weight is of type " + name_of(tensor->type);
  }
  if (tensor->dims.size() < 2) return "its weight is no matrix";
  if (tensor->element_count() == 0) return "its weight is empty";
  return {};
}

}  // namespace

std::vector<ConstantMatMul> find_constant_matmuls(Rewriter& rewriter, const NodeFilter& takes) {
  std::vector<ConstantMatMul> found;
  for (Node* node : rewriter.nodes()) {
    const bool is_gemm = node->is("Gemm");
    if (!is_gemm && !node->is("MatMul")) continue;
    if (takes && !takes(*node)) {
      rewriter.decline(*node, "it was not selected");
      continue;
    }
    std::string reason = is_gemm ? why_no_matmul(*node, rewriter.opset()) : std::string();
    if (reason.empty()) reason = why_no_weight(node->input(1));
    if (!reason.empty()) {
      rewriter.decline(*node, std::move(reason));
      continue;
    }
    found.push_back({.node = node,
                     .weight = node->input(1),
                     .tensor = node->input(1)->constant(),
                     .transposed = is_gemm && node->int_or("transB", 0) != 0,
                     .bias = is_gemm ? node->input(2) : nullptr});
  }
  return found;
}

void put_in_place(const ConstantMatMul& matmul, Node& product) {
  Node& node = *matmul.node;
  Value& made = *product.output(0);
  if (matmul.bias != nullptr) {
    made.type = node.output(0)->type;
    node.op_type = "Add";
    node.attributes.clear();
    node.set_inputs({&made, matmul.bias});
    return;
  }
  const std::vector<Value*> outputs = node.outputs();
  node.set_outputs({});
  product.set_outputs(outputs);
  node.graph().remove_value(made);
  node.graph().remove_node(node);
}

}  // namespace hone
