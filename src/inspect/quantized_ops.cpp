#include "inspect/quantized_ops.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

using Operand = QuantizedOperand;

constexpr std::array<Operand, 1> converted = {{{0, 1, 2}}};
constexpr std::array<Operand, 1> measured = {{{0}}};
constexpr std::array<Operand, 3> two_to_one = {{{0, 1, 2}, {3, 4, 5}, {is_output, 6, 7}}};
constexpr std::array<Operand, 3> gemm = {{{0, 1, 2}, {3, 4, 5}, {is_output, 7, 8}}};
constexpr std::array<Operand, 2> one_to_one = {{{0, 1, 2}, {is_output, 3, 4}}};
constexpr std::array<Operand, 1> concatenated = {{{is_output, 0, 1}}};
constexpr std::array<Operand, 2> plain_integers = {{{0, no_operand, 2}, {1, no_operand, 3}}};
constexpr std::array<Operand, 2> scaled_integers = {{{0, 2, 4}, {1, 3, 5}}};
constexpr std::array<Operand, 1> second = {{{1, 2, 3}}};
constexpr std::array<Operand, 2> attention = {{{0, 3, 6}, {1, 4, 7}}};
constexpr std::array<Operand, 2> recurrent = {{{1, 8, 9}, {2, 10, 11}}};
constexpr std::array<Operand, 1> gathered = {{{0, 2, 3}}};

constexpr auto converts = QuantizedCompute::converts;
constexpr auto integer = QuantizedCompute::integer;
constexpr auto dynamic = QuantizedCompute::dynamic;
constexpr auto weight_only = QuantizedCompute::weight_only;

constexpr std::array<QuantizedOp, 24> quantized_ops = {{
    {"QuantizeLinear", converts, converted},
    {"DequantizeLinear", converts, converted},
    {"DynamicQuantizeLinear", dynamic, measured},
    {"QLinearConv", integer, two_to_one},
    {"QLinearMatMul", integer, two_to_one},
    {"QLinearAdd", integer, two_to_one},
    {"QLinearMul", integer, two_to_one},
    {"QGemm", integer, gemm},
    {"QLinearAveragePool", integer, one_to_one},
    {"QLinearGlobalAveragePool", integer, one_to_one},
    {"QLinearLeakyRelu", integer, one_to_one},
    {"QLinearReduceMean", integer, one_to_one},
    {"QLinearSigmoid", integer, one_to_one},
    {"QLinearSoftmax", integer, one_to_one},
    {"QLinearConcat", integer, concatenated},
    {"MatMulInteger", dynamic, plain_integers},
    {"ConvInteger", dynamic, plain_integers},
    {"MatMulIntegerToFloat", dynamic, scaled_integers},
    {"DynamicQuantizeMatMul", dynamic, second},
    {"QAttention", dynamic, attention},
    {"DynamicQuantizeLSTM", dynamic, recurrent},
    {"MatMulNBits", weight_only, second},
    {"MatMulBnb4", weight_only, second},
    {"GatherBlockQuantized", weight_only, gathered},
}};

}  // namespace

const QuantizedOp* quantized_op(const Node& node) {
  if (!node.is_default_domain() && node.domain != "com.microsoft") return nullptr;
  const auto found = std::ranges::find(quantized_ops, node.op_type, &QuantizedOp::name);
  return found == quantized_ops.end() ? nullptr : &*found;
}

bool is_quantize(const Node* node) {
  return node != nullptr && quantized_op(*node) != nullptr && node->op_type == "QuantizeLinear";
}

bool is_dequantize(const Node* node) {
  return node != nullptr && quantized_op(*node) != nullptr && node->op_type == "DequantizeLinear";
}

TensorPtr weight_behind(const Value* value) {
  if (value == nullptr) return nullptr;
  return value->initializer() ? value->initializer() : value->constant();
}

ElementType quantized_type(const Node& converter) {
  if (const TensorPtr zero_point = weight_behind(converter.input(2))) return zero_point->type;
  const bool quantizes = is_quantize(&converter);
  const auto declared = static_cast<ElementType>(converter.int_or("output_dtype", 0));
  if (quantizes && declared != ElementType::undefined) return declared;
  for (const Value* value :
       {converter.input(2), quantizes ? converter.output(0) : converter.input(0)}) {
    if (value != nullptr && value->type.is_tensor()) return value->type.element;
  }
  return ElementType::uint8;
}

}  // namespace hone
