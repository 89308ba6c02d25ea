#pragma once
// Which inputs of which operators are quantized tensors, and which are their scales and zero
// points.

#include <cstddef>
#include <span>
#include <string_view>

#include "model/graph.h"

namespace hone {

constexpr int no_operand = -1;
constexpr int is_output = -2;  // in place of a tensor's input: the node's first output

// Positions among the inputs of a node.
struct QuantizedOperand {
  int tensor = 0;
  int scale = no_operand;
  int zero_point = no_operand;
};

// How an operator computes with what it is given.
enum class QuantizedCompute {
  converts,     // QuantizeLinear, DequantizeLinear: only the type changes
  integer,      // static scales: QLinearConv
  dynamic,      // activations are quantized while the model runs: MatMulInteger
  weight_only,  // weights are small, arithmetic is float: MatMulNBits
};

struct QuantizedOp {
  std::string_view name;
  QuantizedCompute compute;
  std::span<const QuantizedOperand> operands;
};

// Null when the node knows nothing of quantization. Both ONNX's domain and com.microsoft are looked
// at: ONNX Runtime has its own QuantizeLinear for types that ONNX lacked.
const QuantizedOp* quantized_op(const Node& node);

bool is_quantize(const Node* node);
bool is_dequantize(const Node* node);

// The tensor of a weight: an initializer, even one that callers may override (old models list all
// of them as inputs), or the value of a Constant node. Null for anything that is computed.
TensorPtr weight_behind(const Value* value);

// The integer type on one side of a QuantizeLinear or DequantizeLinear: that of its zero point,
// else what the model declares, else uint8.
ElementType quantized_type(const Node& converter);

}  // namespace hone
