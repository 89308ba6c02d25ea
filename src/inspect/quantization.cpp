#include "inspect/quantization.h"

#include <set>

#include "inspect/quantized_ops.h"

namespace hone {
namespace {

Value* operand_value(const Node& node, int position) {
  if (position == is_output) return node.output(0);
  return position == no_operand ? nullptr : node.input(static_cast<std::size_t>(position));
}

// A scalar is a number, anything else a list, as it is stored.
Json numbers_of(const TensorPtr& tensor) {
  if (!tensor) return {};
  Json::Array numbers;
  if (is_float(tensor->type)) {
    const auto values = to_doubles(*tensor);
    if (!values) return {};
    for (const double value : *values) numbers.emplace_back(value);
  } else {
    const auto values = to_ints(*tensor);
    if (!values) return {};
    for (const std::int64_t value : *values) numbers.emplace_back(value);
  }
  if (tensor->dims.empty() && numbers.size() == 1) return std::move(numbers.front());
  return numbers;
}

class Listing {
 public:
  void add(const Node& node, const QuantizedOp& op) {
    for (const QuantizedOperand& operand : op.operands) {
      const Value* value = operand_value(node, operand.tensor);
      if (value == nullptr) continue;
      if (op.compute == QuantizedCompute::converts) {
        add_converter(node, operand);
      } else if (seen_.insert(value).second) {
        // What one integer operator makes the next one reads: the same tensor, listed once.
        add_operand(node, op, operand, *value);
      }
    }
  }

  std::vector<QuantizedTensor> take() { return std::move(tensors_); }

 private:
  void add_converter(const Node& node, const QuantizedOperand& operand) {
    const bool quantizes = is_quantize(&node);
    const Value* named = quantizes ? node.input(0) : node.output(0);
    if (named == nullptr) return;
    const Value* integer = quantizes ? nullptr : node.input(0);
    const Node* producer = integer == nullptr ? nullptr : integer->producer();
    const Node* quantizer = quantizes ? &node : is_quantize(producer) ? producer : nullptr;
    const TensorPtr stored = weight_behind(quantizer ? quantizer->input(0) : integer);
    const bool is_stored_small = stored && quantizer == nullptr;
    const ElementType type =
        is_stored_small ? stored->type : quantized_type(quantizer ? *quantizer : node);
    QuantizedTensor& entry = start(node, named->name());
    entry.type = name_of(type);
    entry.kind = kind_of(stored, type);
    const bool is_blocked = node.int_or("block_size", 0) > 0;
    fill_parameters(entry, node, operand, is_blocked);
    const TensorPtr scale = weight_behind(node.input(1));
    const bool has_axis = scale ? scale->element_count() != 1 : false;
    if (has_axis) entry.axis = node.int_or("axis", 1);
    // A zero point that is left out is zero.
    if (node.input(2) == nullptr) entry.zero_point = Json(0);
  }

  void add_operand(const Node& node, const QuantizedOp& op, const QuantizedOperand& operand,
                   const Value& value) {
    const TensorPtr weight = weight_behind(&value);
    const bool is_weight_only = op.compute == QuantizedCompute::weight_only;
    QuantizedTensor& entry = start(node, value.name());
    if (is_weight_only) {
      entry.type = "uint" + std::to_string(node.int_or("bits", 4));
    } else if (weight) {
      entry.type = name_of(weight->type);
    } else {
      const TensorPtr zero_point = weight_behind(operand_value(node, operand.zero_point));
      entry.type = name_of(zero_point ? zero_point->type : ElementType::uint8);
    }
    entry.kind = weight ? QuantizedKind::weight : QuantizedKind::activation;
    fill_parameters(entry, node, operand, is_weight_only);
  }

  QuantizedTensor& start(const Node& node, const std::string& tensor) {
    QuantizedTensor& entry = tensors_.emplace_back();
    entry.tensor = tensor;
    entry.node = node.name;
    entry.op = node.op_type;
    return entry;
  }

  static void fill_parameters(QuantizedTensor& entry, const Node& node,
                              const QuantizedOperand& operand, bool is_blocked) {
    if (is_blocked) return;
    entry.scale = numbers_of(weight_behind(operand_value(node, operand.scale)));
    entry.zero_point = numbers_of(weight_behind(operand_value(node, operand.zero_point)));
  }

  static QuantizedKind kind_of(const TensorPtr& stored, ElementType type) {
    if (!stored) return QuantizedKind::activation;
    return type == ElementType::int32 ? QuantizedKind::bias : QuantizedKind::weight;
  }

  std::vector<QuantizedTensor> tensors_;
  std::set<const Value*> seen_;
};

}  // namespace

std::vector<QuantizedTensor> list_quantization(const Model& model) {
  Listing listing;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (const QuantizedOp* op = quantized_op(node)) listing.add(node, *op);
    }
  });
  return listing.take();
}

}  // namespace hone
