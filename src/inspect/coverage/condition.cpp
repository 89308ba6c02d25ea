#include "inspect/coverage/condition.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "inspect/quantized_ops.h"

namespace hone {
namespace {

const ConditionAnswer holds = {};

ConditionAnswer no(std::string why) { return {Holds::no, std::move(why)}; }
ConditionAnswer unclear(std::string why) { return {Holds::unclear, std::move(why)}; }

// "input 1", for messages.
std::string place(std::string_view kind, std::size_t index) {
  return std::string(kind) + " " + std::to_string(index);
}

ElementType element_of(const Value& value) {
  if (value.type.is_tensor()) return value.type.element;
  const TensorPtr constant = value.constant();
  return constant ? constant->type : ElementType::undefined;
}

// The type before DequantizeLinear when that is what a rule for quantized nodes speaks of.
ElementType element_of(const Value& value, bool behind_dequantize) {
  const Node* producer = value.producer();
  if (behind_dequantize && is_dequantize(producer)) return quantized_type(*producer);
  return element_of(value);
}

ConditionAnswer judge_types(const std::vector<std::vector<std::string>>& allowed,
                            const std::vector<Value*>& values, std::string_view kind,
                            bool quantized) {
  for (std::size_t i = 0; i < std::min(allowed.size(), values.size()); ++i) {
    if (allowed[i].empty() || values[i] == nullptr) continue;
    const ElementType element = element_of(*values[i], quantized);
    if (element == ElementType::undefined)
      return unclear("the type of " + place(kind, i) + " is not known");
    if (std::ranges::find(allowed[i], name_of(element)) == allowed[i].end())
      return no(place(kind, i) + " is " + name_of(element) + ", not " + join(allowed[i], ", "));
  }
  return holds;
}

// The shape of a value: of a constant from its data, which is always known.
std::optional<Shape> shape_of_value(const Value& value) {
  if (const TensorPtr constant = value.constant()) return shape_of(constant->dims);
  return value.type.shape;
}

ConditionAnswer judge_shape(const OpCondition& condition, const Value& value,
                            const std::string& where) {
  const std::optional<Shape> shape = shape_of_value(value);
  if (!shape) return unclear("the shape of " + where + " is not known");
  if (condition.max_rank && std::cmp_greater(shape->size(), *condition.max_rank))
    return no(where + " has " + std::to_string(shape->size()) + " dimensions, more than " +
              std::to_string(*condition.max_rank));
  if (!condition.static_shapes) return holds;
  for (const Dim& dim : *shape) {
    if (!dim.value)
      return no(where + " has an open dimension" +
                (dim.symbol.empty() ? "" : " (" + printable(dim.symbol) + ")"));
  }
  return holds;
}

ConditionAnswer judge_shapes(const OpCondition& condition, const std::vector<Value*>& values,
                             std::string_view kind) {
  if (!condition.max_rank && !condition.static_shapes) return holds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr) continue;
    ConditionAnswer answer = judge_shape(condition, *values[i], place(kind, i));
    if (answer.holds != Holds::yes) return answer;
  }
  return holds;
}

ConditionAnswer judge_constants(const std::vector<std::uint64_t>& positions, const Node& node) {
  for (const std::uint64_t position : positions) {
    const Value* value = node.input(position);
    if (value != nullptr && !value->constant())
      return no(place("input", position) + " is computed");
  }
  return holds;
}

// The value of an attribute as JSON; null for tensors, graphs and the like.
Json value_of(const Attribute& attribute) {
  if (const auto* number = attribute.as_int()) return Json(*number);
  if (const auto* number = attribute.as_float()) return Json(static_cast<double>(*number));
  if (const auto* text = attribute.as_string()) return Json(to_utf8(text->view()));
  Json list = Json::array();
  if (const auto* numbers = attribute.as_ints()) {
    for (const std::int64_t number : *numbers) list.push(number);
    return list;
  }
  if (const auto* numbers = attribute.as_floats()) {
    for (const float number : *numbers) list.push(static_cast<double>(number));
    return list;
  }
  return {};
}

ConditionAnswer judge_attribute(const AttributeRule& rule, const Node& node) {
  const Attribute* attribute = node.attribute(rule.name);
  if (attribute == nullptr)
    return rule.may_be_absent ? holds : no("attribute " + rule.name + " is not given");
  const Json value = value_of(*attribute);
  if (std::ranges::find(rule.values, value) != rule.values.end()) return holds;
  std::vector<std::string> allowed;
  for (const Json& one : rule.values) allowed.push_back(one.dump(-1));
  return no("attribute " + rule.name + " is " + value.dump(-1) + ", not " + join(allowed, ", "));
}

}  // namespace

bool is_quantized(const Node& node) {
  if (is_quantize(&node) || is_dequantize(&node)) return false;
  const Value* data = node.input(0);
  return data != nullptr && is_dequantize(data->producer());
}

ConditionAnswer judge(const OpCondition& condition, const Node& node) {
  const bool quantized = is_quantized(node);
  if (condition.quantized && *condition.quantized != quantized)
    return no(quantized ? "it is quantized" : "it is not quantized");
  const bool reads_quantized = condition.quantized.value_or(false);
  // A part that does not hold decides, whatever else is unclear.
  ConditionAnswer open = holds;
  for (ConditionAnswer& answer :
       std::array{judge_types(condition.inputs, node.inputs(), "input", reads_quantized),
                  judge_types(condition.outputs, node.outputs(), "output", false),
                  judge_constants(condition.constant_inputs, node),
                  judge_shapes(condition, node.inputs(), "input"),
                  judge_shapes(condition, node.outputs(), "output")}) {
    if (answer.holds == Holds::no) return answer;
    if (answer.holds == Holds::unclear) open = std::move(answer);
  }
  for (const AttributeRule& rule : condition.attributes) {
    ConditionAnswer answer = judge_attribute(rule, node);
    if (answer.holds == Holds::no) return answer;
  }
  return open;
}

}  // namespace hone
