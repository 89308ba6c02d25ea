#include "model/opset/adapters.h"

namespace hone::opset {

Status expand_cast_like(Converter& converter, Node& node) {
  const ElementType target = converter.facts.element(node.input(1));
  if (target == ElementType::undefined) {
    return converter.refuse(node,
                            "the element type it casts to is not known, and opset " +
                                std::to_string(converter.opset()) + " wants it by name",
                            "add types to the model first");
  }
  converter.changed(node, "said with Cast");
  converter.drop_input(node, 1);
  converter.become(node, "Cast", node.inputs(),
                   attributes(make_attribute("to", static_cast<std::int64_t>(target))));
  return done();
}

// a >= b is (a > b) or (a = b). Not(a < b) would differ where a or b is not a number.
Status expand_or_equal(Converter& converter, Node& node) {
  const std::string strict = node.is("GreaterOrEqual") ? "Greater" : "Less";
  converter.changed(node, "said with " + strict + " and Equal");
  const Fact fact = converter.facts.of(node.output(0));
  Value& greater = converter.insert(node, "strict", {strict, node.inputs(), {}, fact});
  Value& equal = converter.insert(node, "equal", {"Equal", node.inputs(), {}, fact});
  converter.become(node, "Or", {&greater, &equal});
  return done();
}

// Before opset 11 the third input is not optional; zero changes nothing.
Status gemm_down(Converter& converter, Node& node) {
  if (node.input(2) != nullptr) return done();
  const ElementType element = converter.facts.element(node.input(0));
  if (!can_hold_scalar(element)) {
    return converter.refuse(node,
                            "opset 10 needs a third input of the same element type as its data, "
                            "and that type is not known",
                            "add types to the model first");
  }
  converter.changed(node, "zero added as the third input");
  node.set_input(2, &converter.add_scalar(node, "zero", 0, element));
  return done();
}

Status pow_down(Converter& converter, Node& node) {
  const ElementType base = converter.facts.element(node.input(0));
  const ElementType exponent = converter.facts.element(node.input(1));
  const bool known = base != ElementType::undefined && exponent != ElementType::undefined;
  if (!known || base == exponent) return done();
  return converter.refuse(node, "it raises " + name_of(base) + " to " + name_of(exponent) +
                                    ", and opset 11 wants both of one type");
}

// The axis moved from an attribute with default 1 to an input with default -2: the same for the
// usual three dimensions (batch, signal, real and imaginary part).
Status dft_up(Converter& converter, Node& node) {
  const Attribute* axis = node.attribute("axis");
  if (axis == nullptr && converter.facts.rank(node.input(0)) == 3) return done();
  if (axis != nullptr && !axis->as_int()) return converter.refuse(node, "its axis is not a number");
  const std::int64_t value = node.int_or("axis", 1);
  converter.changed(node, "axis: attribute -> input");
  node.set_input(2, &converter.add_ints(node, "axis", {&value, 1}, true));
  node.remove_attribute("axis");
  return done();
}

Status dft_down(Converter& converter, Node& node) {
  converter.trim_inputs(node, 2);
  if (node.input(2) == nullptr && converter.facts.rank(node.input(0)) == 3) return done();
  std::int64_t axis = -2;
  if (node.input(2) != nullptr) {
    HONE_TRY(const std::vector<std::int64_t> values, converter.ints(node, 2, "axis"));
    if (values.size() != 1) return converter.refuse(node, "its axis is not one value");
    axis = values.front();
  }
  converter.changed(node, "axis: input -> attribute");
  node.set_attribute(make_attribute("axis", axis));
  converter.drop_input(node, 2);
  return done();
}

// Without axes a reduction takes all of them, unless noop_with_empty_axes says that it does
// nothing.
Status reduce_down(Converter& converter, Node& node) {
  const Attribute* noop = node.attribute("noop_with_empty_axes");
  if (noop == nullptr) return done();
  if (is_parameter(*noop)) {
    return converter.refuse(node,
                            "its noop_with_empty_axes is a parameter of the function around it");
  }
  if (noop->as_int() && *noop->as_int() != 0) {
    std::vector<std::int64_t> axes;
    if (node.input(1) != nullptr) {
      HONE_TRY(axes, converter.ints(node, 1, "axes"));
    }
    if (axes.empty()) {
      return converter.refuse(node,
                              "it has no axes and noop_with_empty_axes, and opset " +
                                  std::to_string(converter.opset()) + " would reduce over all axes",
                              "remove the node: it does nothing");
    }
  }
  node.remove_attribute("noop_with_empty_axes");
  converter.changed(node, "noop_with_empty_axes dropped");
  return done();
}

}  // namespace hone::opset
