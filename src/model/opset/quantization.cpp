#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

Failure refuse_mixed(const Converter& converter, const Node& node, ElementType data,
                     ElementType scale) {
  return converter.refuse(node, "its data is " + name_of(data) + " and its scale " +
                                    name_of(scale) + "; opset " +
                                    std::to_string(converter.opset()) + " wants one type");
}

}  // namespace

// Before opset 13 there is one scale for the whole tensor, so that an axis means nothing.
Status quantization_axis_down(Converter& converter, Node& node) {
  const PartialShape scale = converter.facts.of(node.input(1)).shape;
  const bool per_tensor = scale && (scale->empty() || (scale->size() == 1 && scale->front() == 1));
  if (!per_tensor) {
    return converter.refuse(node,
                            scale ? "it has a scale per axis, which opset 12 does not have"
                                  : "whether it has one scale, as opset 12 asks for, is not known");
  }
  if (node.remove_attribute("axis")) converter.changed(node, "axis dropped");
  return done();
}

// Since opset 21 the output type can be given by name; before, the zero point has it.
Status quantize_21_down(Converter& converter, Node& node) {
  const Attribute* attribute = node.attribute("output_dtype");
  if (attribute == nullptr) return done();
  if (is_parameter(*attribute)) {
    return converter.refuse(node, "its output_dtype is a parameter of the function around it");
  }
  const auto type = static_cast<ElementType>(node.int_or("output_dtype", 0));
  const bool says_nothing = type == ElementType::undefined || type == ElementType::uint8;
  if (node.input(2) == nullptr && !says_nothing) {
    // As many zeros as there are scales; only a constant tells how many those are.
    const TensorPtr scale = constant_of(node.input(1));
    if (type != ElementType::int8 || !scale) {
      return converter.refuse(node,
                              "its output type " + name_of(type) +
                                  " needs a zero point in opset 20, and its shape is not known");
    }
    std::string zeros(scale->element_count(), '\0');
    const TensorPtr zero_point = make_tensor("", type, scale->dims, Blob::own(std::move(zeros)));
    node.set_input(2, &converter.add_constant(node, "zero_point", zero_point));
  }
  node.remove_attribute("output_dtype");
  converter.changed(node, "output_dtype dropped");
  return done();
}

// Since opset 23 data and scale may have different float types.
Status quantize_23_down(Converter& converter, Node& node) {
  const ElementType data = converter.facts.element(node.input(0));
  const ElementType scale = converter.facts.element(node.input(1));
  if (is_float(data) && is_float(scale) && data != scale) {
    return refuse_mixed(converter, node, data, scale);
  }
  return done();
}

Status dequantize_23_down(Converter& converter, Node& node) {
  const Attribute* attribute = node.attribute("output_dtype");
  if (attribute == nullptr) return done();
  const auto type = static_cast<ElementType>(node.int_or("output_dtype", 0));
  const ElementType scale = converter.facts.element(node.input(1));
  const bool same = type == ElementType::undefined || type == scale;
  if (is_parameter(*attribute) || !same) {
    return converter.refuse(node, "its output is " + name_of(type) + " and its scale " +
                                      name_of(scale) + "; opset 22 wants one type");
  }
  node.remove_attribute("output_dtype");
  converter.changed(node, "output_dtype dropped");
  return done();
}

}  // namespace hone::opset
