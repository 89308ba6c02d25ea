#include "inspect/precision.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "inspect/quantized_ops.h"

namespace hone {
namespace {

// A float operator and which of its inputs may be weights.
struct MultiplyingOp {
  std::string_view name;
  int first;
  int last;
};

constexpr std::array<MultiplyingOp, 15> multiplying_ops = {{
    {"Conv", 1, 1},
    {"ConvTranspose", 1, 1},
    {"DeformConv", 1, 1},
    {"Gemm", 0, 1},
    {"MatMul", 0, 1},
    {"Einsum", 0, 1},
    {"LSTM", 1, 2},
    {"GRU", 1, 2},
    {"RNN", 1, 2},
    {"FusedMatMul", 0, 1},
    {"FusedGemm", 0, 1},
    {"FusedConv", 1, 1},
    {"NhwcFusedConv", 1, 1},
    {"Attention", 1, 1},
    {"TransposeMatMul", 0, 1},
}};

const MultiplyingOp* multiplying_op(const Node& node) {
  if (!node.is_default_domain() && node.domain != "com.microsoft") return nullptr;
  // ONNX's own Attention multiplies activations with each other and has no weight.
  if (node.is("Attention")) return nullptr;
  const auto found = std::ranges::find(multiplying_ops, node.op_type, &MultiplyingOp::name);
  return found == multiplying_ops.end() ? nullptr : &*found;
}

// What an operand of a float operator is once shape changes and DequantizeLinear are looked
// through.
struct Operand {
  ElementType type = ElementType::undefined;
  bool is_weight = false;
  bool is_quantized = false;
  std::uint64_t elements = 0;
};

bool only_reshapes(const Node& node) {
  constexpr std::array<std::string_view, 6> ops = {"Identity", "Transpose", "Reshape",
                                                   "Squeeze",  "Unsqueeze", "Flatten"};
  return node.is_default_domain() && std::ranges::find(ops, node.op_type) != ops.end();
}

// The value before any number of shape changes; bounded, because a broken graph may have a cycle.
const Value* before_reshaping(const Value* value) {
  for (int step = 0; step < 16; ++step) {
    const Node* producer = value == nullptr ? nullptr : value->producer();
    if (producer == nullptr || !only_reshapes(*producer)) break;
    value = producer->input(0);
  }
  return value;
}

Operand weight_operand(const Tensor& tensor, bool is_quantized) {
  return {tensor.type, true, is_quantized, tensor.element_count()};
}

Operand operand_behind(const Value* given) {
  const Value* value = before_reshaping(given);
  if (value == nullptr) return {};
  if (const TensorPtr weight = weight_behind(value)) return weight_operand(*weight, false);
  const Node* dequantize = value->producer();
  if (!is_dequantize(dequantize)) return {};
  const Value* quantized = before_reshaping(dequantize->input(0));
  if (const TensorPtr weight = weight_behind(quantized)) return weight_operand(*weight, true);
  const Node* quantize = quantized == nullptr ? nullptr : quantized->producer();
  if (!is_quantize(quantize)) {
    // An integer operator or an integer input of the model stands between; the scale's partner
    // tells the type.
    return {quantized_type(*dequantize), false, true, 0};
  }
  const TensorPtr weight = weight_behind(before_reshaping(quantize->input(0)));
  return {quantized_type(*quantize), weight != nullptr, true, weight ? weight->element_count() : 0};
}

std::string word_for_float(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return "fp32";
    case ElementType::float16:
      return "fp16";
    case ElementType::bfloat16:
      return "bf16";
    case ElementType::float64:
      return "fp64";
    default:
      return is_float(type) && bits_of(type) == 8 ? "fp8" : "";
  }
}

std::string word_for(ElementType weight, ElementType activation) {
  const std::string weight_bits = std::to_string(bits_of(weight));
  if (is_float(weight)) return word_for_float(weight);
  if (activation == ElementType::undefined) return "int" + weight_bits;
  return "w" + weight_bits + "a" + std::to_string(bits_of(activation));
}

class Census {
 public:
  void count(const Node& node) {
    if (const QuantizedOp* op = quantized_op(node)) {
      count_quantized(node, *op);
    } else if (const MultiplyingOp* multiplies = multiplying_op(node)) {
      count_float(node, *multiplies);
    }
  }

  // Nothing when there was no weight to count.
  std::optional<std::string> verdict() const {
    std::uint64_t total = 0;
    for (const auto& [word, elements] : elements_) total += elements;
    if (total == 0) return std::nullopt;
    for (const auto& [word, elements] : elements_) {
      if (elements > total / 2) return word;
    }
    return "mixed";
  }

 private:
  void add(const std::string& word, std::uint64_t elements) {
    if (!word.empty()) elements_[word] += elements;
  }

  void count_float(const Node& node, const MultiplyingOp& op) {
    for (int i = op.first; i <= op.last; ++i) {
      const Operand weight = operand_behind(node.input(static_cast<std::size_t>(i)));
      if (!weight.is_weight) continue;
      if (!weight.is_quantized) {
        add(word_for_float(weight.type), weight.elements);
        continue;
      }
      const Operand other = operand_behind(node.input(i == 0 ? 1 : 0));
      const bool is_static = other.is_quantized && !other.is_weight;
      add(word_for(weight.type, is_static ? other.type : ElementType::undefined), weight.elements);
    }
  }

  void count_quantized(const Node& node, const QuantizedOp& op) {
    if (op.compute == QuantizedCompute::converts) return;
    if (op.compute == QuantizedCompute::weight_only) return count_weight_only(node);
    ElementType activation = ElementType::undefined;
    for (const QuantizedOperand& operand : op.operands) {
      if (operand.tensor == is_output || activation != ElementType::undefined) continue;
      const bool is_weight =
          weight_behind(node.input(static_cast<std::size_t>(operand.tensor))) != nullptr;
      if (!is_weight) activation = type_of_operand(node, operand);
    }
    for (const QuantizedOperand& operand : op.operands) {
      if (operand.tensor == is_output) continue;
      const TensorPtr weight = weight_behind(node.input(static_cast<std::size_t>(operand.tensor)));
      if (!weight) continue;
      const bool is_dynamic = op.compute == QuantizedCompute::dynamic;
      add(is_dynamic ? "dynamic" : word_for(weight->type, activation), weight->element_count());
    }
  }

  // MatMulNBits packs its weights into bytes; K and N say how many there are.
  void count_weight_only(const Node& node) {
    const auto rows = static_cast<std::uint64_t>(std::max<std::int64_t>(0, node.int_or("N", 0)));
    const auto columns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, node.int_or("K", 0)));
    if (node.op_type == "GatherBlockQuantized") return;  // looks up, does not multiply
    add("int" + std::to_string(node.int_or("bits", 4)), rows * columns);
  }

  static ElementType type_of_operand(const Node& node, const QuantizedOperand& operand) {
    if (operand.zero_point != no_operand) {
      const auto zero_point =
          weight_behind(node.input(static_cast<std::size_t>(operand.zero_point)));
      if (zero_point) return zero_point->type;
    }
    return ElementType::uint8;
  }

  std::map<std::string, std::uint64_t> elements_;
};

std::string precision_of_storage(const Model& model) {
  std::map<ElementType, std::uint64_t> bytes;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (!word_for_float(tensor->type).empty()) bytes[tensor->type] += tensor->byte_size();
  });
  if (!bytes.empty()) {
    return word_for_float(
        std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; })->first);
  }
  for (const auto* values : {&model.graph->inputs(), &model.graph->outputs()}) {
    for (const Value* value : *values) {
      const std::string word = value->type.is_tensor() ? word_for_float(value->type.element) : "";
      if (!word.empty()) return word;
    }
  }
  return "none";
}

}  // namespace

std::string precision_of(const Model& model) {
  Census census;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) census.count(node);
  });
  return census.verdict().value_or(precision_of_storage(model));
}

}  // namespace hone
