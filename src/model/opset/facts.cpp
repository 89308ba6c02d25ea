#include "model/opset/facts.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "model/opset/shape_rules.h"

namespace hone::opset {
namespace {

// Which element type the first output has.
enum class Element { of_input_0, of_input_1, boolean, int64, of_attribute, special };

struct Rule {
  Element element;
  ShapeRule shape;
};

struct Group {
  std::string_view ops;
  Rule rule;
};

// An op that is not listed has outputs of which nothing is known: never wrong, only less helpful.
constexpr Group groups[] = {
    {"Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization BitwiseNot Ceil Celu Clip Cos Cosh "
     "CumSum "
     "Dropout Elu Erf Exp Floor Gelu GroupNormalization HardSigmoid HardSwish Hardmax Identity "
     "InstanceNormalization LRN LayerNormalization LeakyRelu Log LogSoftmax LpNormalization "
     "MeanVarianceNormalization Mish Neg Not PRelu RMSNormalization Reciprocal Relu "
     "ReverseSequence Round "
     "Scatter ScatterElements ScatterND Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus "
     "Softsign Sqrt "
     "Swish Tan Tanh ThresholdedRelu Trilu",
     {Element::of_input_0, same_shape}},
    {"Add BitShift BitwiseAnd BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Pow Sub Sum",
     {Element::of_input_0, broadcast_shape}},
    {"And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor",
     {Element::boolean, broadcast_shape}},
    {"IsInf IsNaN", {Element::boolean, same_shape}},
    {"AveragePool CenterCropPad DepthToSpace GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool "
     "MaxPool MaxUnpool Pad Resize SpaceToDepth Split Tile TopK Upsample",
     {Element::of_input_0, same_rank}},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSum "
     "ReduceSumSquare",
     {Element::of_input_0, reduced_shape}},
    {"ArgMax ArgMin", {Element::int64, arg_reduced_shape}},
    {"Conv ConvTranspose DeformConv", {Element::of_input_0, conv_shape}},
    {"Concat", {Element::of_input_0, concat_shape}},
    {"Einsum", {Element::of_input_0, einsum_shape}},
    {"Expand", {Element::of_input_0, expanded_shape}},
    {"Flatten", {Element::of_input_0, flattened_shape}},
    {"Gather", {Element::of_input_0, gathered_shape}},
    {"GatherElements", {Element::of_input_0, shape_of_input_1}},
    {"GatherND", {Element::of_input_0, gathered_nd_shape}},
    {"Gemm MatMul", {Element::of_input_0, matmul_shape}},
    {"GRU LSTM RNN", {Element::of_input_0, recurrent_shape}},
    {"GridSample", {Element::of_input_0, same_rank}},
    {"Range", {Element::of_input_0, range_shape}},
    {"Reshape", {Element::of_input_0, reshaped_shape}},
    {"Slice", {Element::of_input_0, sliced_shape}},
    {"Squeeze", {Element::of_input_0, squeezed_shape}},
    {"Transpose", {Element::of_input_0, transposed_shape}},
    {"Unsqueeze", {Element::of_input_0, unsqueezed_shape}},
    {"Where", {Element::of_input_1, broadcast_shape}},
    {"CastLike", {Element::of_input_1, same_shape}},
    {"Cast EyeLike RandomNormalLike RandomUniformLike Bernoulli",
     {Element::of_attribute, same_shape}},
    {"QuantizeLinear DequantizeLinear", {Element::special, same_shape}},
    {"ConstantOfShape", {Element::special, constant_of_shape_shape}},
    {"OneHot", {Element::special, one_hot_shape}},
    {"NonZero", {Element::int64, non_zero_shape}},
    {"Shape", {Element::int64, shape_shape}},
    {"Size", {Element::int64, size_shape}},
};

const Rule* rule_for(std::string_view op) {
  static const auto table = [] {
    std::unordered_map<std::string, const Rule*> rules;
    for (const Group& group : groups) {
      for (std::string& name : split(group.ops, ' ')) rules.emplace(std::move(name), &group.rule);
    }
    return rules;
  }();
  const auto found = table.find(std::string(op));
  return found == table.end() ? nullptr : found->second;
}

ElementType declared_type(const Node& node) {
  for (const std::string_view name : {"to", "dtype"}) {
    if (const std::int64_t number = node.int_or(name, 0)) return static_cast<ElementType>(number);
  }
  return ElementType::undefined;
}

ElementType special_element(const Facts& facts, const Node& node) {
  if (node.is("OneHot")) return facts.element(node.input(2));
  if (node.is("ConstantOfShape")) {
    const Attribute* value = node.attribute("value");
    return value && value->as_tensor() ? value->as_tensor()->type : ElementType::float32;
  }
  if (const std::int64_t number = node.int_or("output_dtype", 0)) {
    return static_cast<ElementType>(number);
  }
  if (node.is("DequantizeLinear")) return facts.element(node.input(1));
  return node.input(2) ? facts.element(node.input(2)) : ElementType::uint8;  // QuantizeLinear
}

ElementType element_by(Element rule, const Facts& facts, const Node& node) {
  switch (rule) {
    case Element::of_input_0:
      return facts.element(node.input(0));
    case Element::of_input_1:
      return facts.element(node.input(1));
    case Element::boolean:
      return ElementType::boolean;
    case Element::int64:
      return ElementType::int64;
    case Element::of_attribute: {
      const ElementType declared = declared_type(node);
      // The random "like" ops and EyeLike follow their input when no dtype is given.
      return declared == ElementType::undefined ? facts.element(node.input(0)) : declared;
    }
    case Element::special:
      return special_element(facts, node);
  }
  return ElementType::undefined;
}

TensorPtr tensor_of_constant_node(const Node& node) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == "value") return attribute.as_tensor();
    if (const auto* ints = attribute.as_ints()) return make_int64_tensor("", *ints);
    if (const auto* floats = attribute.as_floats()) return make_float_tensor("", *floats);
    if (const auto* number = attribute.as_int()) return make_int64_tensor("", {number, 1}, true);
    if (const auto* number = attribute.as_float()) return make_float_tensor("", {number, 1}, true);
  }
  return nullptr;
}

Fact declared_fact(const Value& value) {
  Fact fact;
  if (const TensorPtr& tensor = value.initializer()) return {tensor->type, tensor->dims};
  if (!value.type.is_tensor()) return fact;
  fact.element = value.type.element;
  if (!value.type.shape) return fact;
  fact.shape.emplace();
  for (const Dim& dim : *value.type.shape) {
    fact.shape->push_back(std::max(dim.value.value_or(unknown_dim), unknown_dim));
  }
  return fact;
}

// Dim by dim the better of the two; a rank that is declared is believed.
PartialShape merge(const PartialShape& declared, const PartialShape& learnt) {
  if (!declared) return learnt;
  if (!learnt || learnt->size() != declared->size()) return declared;
  PartialShape merged = declared;
  for (std::size_t i = 0; i < merged->size(); ++i) {
    if ((*merged)[i] == unknown_dim) (*merged)[i] = (*learnt)[i];
  }
  return merged;
}

}  // namespace

TensorPtr constant_of(const Value* value) {
  // Bounded: a broken model may lead in a circle.
  for (int steps = 0; steps < 64; ++steps) {
    if (value == nullptr || value->producer() == nullptr || !value->producer()->is("Identity"))
      break;
    value = value->producer()->input(0);
  }
  if (value == nullptr) return nullptr;
  if (value->producer() != nullptr && value->producer()->is("Constant")) {
    return tensor_of_constant_node(*value->producer());
  }
  return value->constant();
}

std::optional<std::vector<std::int64_t>> ints_of(const Node& node, std::string_view attribute,
                                                 std::size_t input) {
  if (const Attribute* found = node.attribute(attribute)) {
    if (found->as_ints()) return *found->as_ints();
  }
  const TensorPtr tensor = constant_of(node.input(input));
  if (!tensor) return std::nullopt;
  Result<std::vector<std::int64_t>> ints = to_ints(*tensor);
  if (!ints) return std::nullopt;
  return std::move(*ints);
}

Fact Facts::of(const Value* value) const {
  if (value == nullptr) return {};
  Fact fact = declared_fact(*value);
  if (const auto found = learnt_.find(value); found != learnt_.end()) {
    if (fact.element == ElementType::undefined) fact.element = found->second.element;
    fact.shape = merge(fact.shape, found->second.shape);
  }
  return fact;
}

std::optional<std::int64_t> Facts::rank(const Value* value) const {
  const Fact fact = of(value);
  if (!fact.shape) return std::nullopt;
  return static_cast<std::int64_t>(fact.shape->size());
}

void Facts::learn(const Node& node) {
  for (const Graph* subgraph : node.subgraphs()) learn(*subgraph);
  if (!node.is_default_domain() || node.output(0) == nullptr) return;
  if (const TensorPtr tensor = constant_of(node.output(0))) {
    set(*node.output(0), {tensor->type, tensor->dims});
    return;
  }
  const Rule* rule = rule_for(node.op_type);
  if (rule == nullptr) return;
  const Fact fact{element_by(rule->element, *this, node), rule->shape(*this, node)};
  set(*node.output(0), fact);
  // Of the ops above only Split has more than one output of the same kind.
  for (std::size_t i = 1; node.is("Split") && i < node.outputs().size(); ++i) {
    if (node.output(i) != nullptr) set(*node.output(i), fact);
  }
}

void Facts::learn(const Graph& graph) {
  for (const Node& node : graph.nodes()) learn(node);
}

}  // namespace hone::opset
