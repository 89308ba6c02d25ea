#include "model/opset/step.h"

#include <algorithm>
#include <cmath>

namespace hone::opset {
namespace {

constexpr Types plain_ints = one(ElementType::int8) | one(ElementType::uint8) |
                             one(ElementType::int16) | one(ElementType::uint16) |
                             one(ElementType::int32) | one(ElementType::uint32) |
                             one(ElementType::int64) | one(ElementType::uint64);

const Step* step_to(const OpHistory& history, int version) {
  for (const Step& step : history.steps) {
    if (step.version == version) return &step;
  }
  return nullptr;
}

std::string opset_name(int opset) { return "opset " + std::to_string(opset); }

// ---- types

std::string name_of_types(const Type& type, ElementType element) {
  if (type.kind == Type::Kind::sequence) return "a sequence";
  if (type.kind == Type::Kind::optional) return "an optional value";
  return name_of(element);
}

Status check_type(const Converter& converter, const Node& node, const Value* value, Types added) {
  if (value == nullptr) return done();
  const ElementType element = converter.facts.element(value);
  if ((type_of(value->type, element) & added) == 0) return done();
  return converter.refuse(
      node, "'" + value->name() + "' is " + name_of_types(value->type, element) + ", which " +
                node.op_type + " of " + opset_name(converter.opset()) + " does not take");
}

// Types we cannot know are let through: the model is then as right or wrong as it was.
Status check_types(const Converter& converter, const Node& node, Types added) {
  if (added == 0) return done();
  HONE_TRY_DO(check_type(converter, node, node.input(0), added));
  HONE_TRY_DO(check_type(converter, node, node.output(0), added));
  // Behind the first input there are indices and shapes, which are integers in every version.
  if ((added & plain_ints) != 0) return done();
  for (const Value* input : node.inputs()) {
    HONE_TRY_DO(check_type(converter, node, input, added));
  }
  for (const Value* output : node.outputs()) {
    HONE_TRY_DO(check_type(converter, node, output, added));
  }
  return done();
}

// ---- axes that count from the back

Status count_from_front(Converter& converter, Node& node, std::string_view name) {
  const Attribute* found = node.attribute(name);
  if (found == nullptr) return done();
  Attribute::Ints axes;
  if (found->as_int()) axes.push_back(*found->as_int());
  if (found->as_ints()) axes = *found->as_ints();
  if (std::all_of(axes.begin(), axes.end(), [](std::int64_t axis) { return axis >= 0; }))
    return done();
  auto rank = converter.facts.rank(node.input(0));
  if (!rank) {
    return converter.refuse(node,
                            "its '" + std::string(name) + "' counts from the back, which " +
                                opset_name(converter.opset()) +
                                " does not know, and the rank of its input is not known",
                            "add shapes to the model first");
  }
  if (node.is("Unsqueeze")) *rank += static_cast<std::int64_t>(axes.size());
  for (std::int64_t& axis : axes) axis += axis < 0 ? *rank : 0;
  converter.changed(node, std::string(name) + " counted from the front");
  if (found->as_int())
    node.set_attribute(make_attribute(std::string(name), axes.front()));
  else
    node.set_attribute(make_attribute(std::string(name), axes));
  return done();
}

// ---- attributes that became inputs

Result<TensorPtr> tensor_from(const Converter& converter, const Node& node,
                              const Attribute& attribute, Form form) {
  const auto number = attribute.as_int();
  const auto real = attribute.as_float();
  if (form == Form::ints && attribute.as_ints()) return make_int64_tensor("", *attribute.as_ints());
  if (form == Form::one_int && number) return make_int64_tensor("", {number, 1});
  if (form == Form::int_scalar && number) return make_int64_tensor("", {number, 1}, true);
  if (form == Form::float_scalar && real) return make_float_tensor("", {real, 1}, true);
  if (form != Form::element_scalar || !real) {
    return converter.refuse(
        node, "its attribute '" + attribute.name + "' is not of the type it should be");
  }
  const ElementType element = converter.facts.element(node.input(0));
  if (can_hold_scalar(element)) return make_scalar(*real, element);
  return converter.refuse(node,
                          "its '" + attribute.name +
                              "' becomes an input of the same element type as "
                              "its data, and that type is not known",
                          "add types to the model first");
}

Status move_to_input(Converter& converter, Node& node, const MovedAttribute& moved) {
  const std::string name(moved.name);
  const Attribute* attribute = node.attribute(name);
  if (attribute == nullptr) {
    if (!moved.required) return done();
    return converter.refuse(node, "its attribute '" + name + "' is missing");
  }
  if (is_parameter(*attribute)) {
    return converter.refuse(node, "its '" + name +
                                      "' is a parameter of the function around it, and " +
                                      opset_name(converter.opset()) + " wants it as an input");
  }
  HONE_TRY(const TensorPtr tensor, tensor_from(converter, node, *attribute, moved.form));
  node.set_input(moved.input, &converter.add_constant(node, name, tensor));
  node.remove_attribute(name);
  converter.changed(node, name + ": attribute -> input");
  return done();
}

Result<float> exact_float(const Converter& converter, const Node& node, const Tensor& tensor,
                          const std::string& name) {
  Result<std::vector<double>> values = to_doubles(tensor);
  const bool single = values && values->size() == 1;
  const double value = single ? values->front() : 0;
  const bool fits = !std::isfinite(value) || std::fabs(value) <= std::numeric_limits<float>::max();
  const float rounded = fits ? static_cast<float>(value) : 0;
  if (single && fits && (std::isnan(value) || static_cast<double>(rounded) == value))
    return rounded;
  return converter.refuse(node,
                          "its " + name + " is not one value that a float attribute can hold");
}

Result<Attribute> attribute_from(const Converter& converter, const Node& node,
                                 const MovedAttribute& moved) {
  const std::string name(moved.name);
  if (moved.form == Form::float_scalar || moved.form == Form::element_scalar) {
    HONE_TRY(const TensorPtr tensor, converter.constant(node, moved.input, name));
    HONE_TRY(const float value, exact_float(converter, node, *tensor, name));
    return make_attribute(name, value);
  }
  HONE_TRY(const std::vector<std::int64_t> values, converter.ints(node, moved.input, name));
  if (moved.form == Form::ints) return make_attribute(name, values);
  if (values.size() == 1) return make_attribute(name, values.front());
  return converter.refuse(node, "its " + name + " is not one value");
}

Status move_to_attribute(Converter& converter, Node& node, const MovedAttribute& moved) {
  if (node.input(moved.input) == nullptr) {
    if (!moved.required) return done();
    return converter.refuse(node, "its input '" + std::string(moved.name) + "' is missing");
  }
  HONE_TRY(Attribute attribute, attribute_from(converter, node, moved));
  node.set_attribute(std::move(attribute));
  converter.drop_input(node, moved.input);
  converter.changed(node, std::string(moved.name) + ": input -> attribute");
  return done();
}

// ---- attributes that a version brought

bool is_neutral(const Attribute& attribute, const NewAttribute& brought) {
  if (std::holds_alternative<Anything>(brought.neutral)) return true;
  if (is_parameter(attribute)) return false;
  if (const auto* number = std::get_if<std::int64_t>(&brought.neutral)) {
    return attribute.as_int() && *attribute.as_int() == *number;
  }
  if (const auto* text = std::get_if<std::string_view>(&brought.neutral)) {
    return attribute.as_string() && attribute.as_string()->view() == *text;
  }
  const Attribute::Ints* values = attribute.as_ints();
  return values &&
         std::all_of(values->begin(), values->end(), [](std::int64_t v) { return v == 1; });
}

Status drop_attribute(Converter& converter, Node& node, const NewAttribute& brought) {
  const Attribute* attribute = node.attribute(brought.name);
  if (attribute == nullptr) return done();
  if (!is_neutral(*attribute, brought)) {
    return converter.refuse(node, opset_name(converter.opset()) + " has no '" +
                                      std::string(brought.name) + "', and here it matters");
  }
  node.remove_attribute(brought.name);
  converter.changed(node, std::string(brought.name) + " dropped");
  return done();
}

Status take_down(Converter& converter, Node& node, const Step& step) {
  HONE_TRY_DO(check_types(converter, node, step.added));
  if (!step.negative.empty()) HONE_TRY_DO(count_from_front(converter, node, step.negative));
  if (step.down != nullptr) HONE_TRY_DO(step.down(converter, node));
  for (const MovedAttribute& moved : step.moved) {
    HONE_TRY_DO(move_to_attribute(converter, node, moved));
    converter.trim_inputs(node, moved.input);
  }
  for (const NewAttribute& brought : step.brought) {
    HONE_TRY_DO(drop_attribute(converter, node, brought));
  }
  return done();
}

}  // namespace

Status step_up(Converter& converter, Node& node) {
  const Step* step = step_to(*find_history(node.op_type), converter.opset());
  if (step == nullptr) return done();
  for (const MovedAttribute& moved : step->moved) {
    HONE_TRY_DO(move_to_input(converter, node, moved));
  }
  return step->up != nullptr ? step->up(converter, node) : done();
}

Status step_down(Converter& converter, Node& node) {
  const OpHistory& history = *find_history(node.op_type);
  const int leaving = converter.opset() + 1;
  if (history.since == leaving) {
    if (history.expand != nullptr) return history.expand(converter, node);
    return converter.refuse(node, node.op_type + " came with " + opset_name(leaving) + ", and " +
                                      opset_name(converter.opset()) + " has no way to say it");
  }
  const Step* step = step_to(history, leaving);
  return step != nullptr ? take_down(converter, node, *step) : done();
}

}  // namespace hone::opset
