// Softmax, LogSoftmax and Hardmax. Up to opset 12 they flatten their input to two dimensions at
// `axis` (default 1) and work on all of the second; from opset 13 on they work along one axis
// (default the last). The two agree where the axis is the last one.

#include <numeric>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

// op(x, axis)  ->  Reshape(op(Flatten(x, axis)), Shape(x)): right for every rank, known or not.
void flatten_around(Converter& converter, Node& node, std::int64_t axis) {
  Value* x = node.input(0);
  const ElementType element = converter.facts.element(x);
  const Fact matrix{element, std::vector{unknown_dim, unknown_dim}};
  converter.changed(node, "flattened around it");
  const auto rank = converter.facts.rank(x);
  Value& shape = converter.insert(
      node, "shape",
      {"Shape", {x}, {}, {ElementType::int64, std::vector{rank.value_or(unknown_dim)}}});
  Value& flat = converter.insert(
      node, "flat", {"Flatten", {x}, attributes(make_attribute("axis", axis)), matrix});
  Value& result = converter.insert(node, "rows", {node.op_type, {&flat}, {}, matrix});
  converter.become(node, "Reshape", {&result, &shape});
}

// op(x, axis)  ->  Transpose(op(Transpose(x), last)), where the permutation swaps the axis with the
// last one.
void transpose_around(Converter& converter, Node& node, std::int64_t axis, std::int64_t rank) {
  Value* x = node.input(0);
  Attribute::Ints swap(static_cast<std::size_t>(rank));
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[static_cast<std::size_t>(axis)], swap.back());
  Fact swapped = converter.facts.of(x);
  std::swap((*swapped.shape)[static_cast<std::size_t>(axis)], swapped.shape->back());
  converter.changed(node, "transposed around it");
  Value& before = converter.insert(
      node, "axis_last", {"Transpose", {x}, attributes(make_attribute("perm", swap)), swapped});
  Value& result = converter.insert(
      node, "rows",
      {node.op_type, {&before}, attributes(make_attribute("axis", rank - 1)), swapped});
  converter.become(node, "Transpose", {&result}, attributes(make_attribute("perm", swap)));
}

Status check_axis(const Converter& converter, const Node& node) {
  const Attribute* axis = node.attribute("axis");
  if (axis == nullptr || axis->as_int()) return done();
  return converter.refuse(node, "its axis is not a number that is known here");
}

}  // namespace

Status softmax_up(Converter& converter, Node& node) {
  HONE_TRY_DO(check_axis(converter, node));
  const auto rank = converter.facts.rank(node.input(0));
  const std::int64_t axis = node.int_or("axis", 1);
  const bool is_last = axis == -1 || (rank && axis == *rank - 1);
  // Without the attribute and with two dimensions, both defaults mean the second.
  if (!is_last) flatten_around(converter, node, axis);
  return done();
}

Status softmax_down(Converter& converter, Node& node) {
  HONE_TRY_DO(check_axis(converter, node));
  const auto rank = converter.facts.rank(node.input(0));
  std::int64_t axis = node.int_or("axis", -1);
  if (axis == -1 || (rank && axis == *rank - 1)) {
    if (!node.attribute("axis") && rank != 2) {
      node.set_attribute(make_attribute("axis", axis));
      converter.changed(node, "axis made explicit");
    }
    return done();
  }
  if (!rank) {
    return converter.refuse(node,
                            "opset 12 works on all dimensions from the axis on, and whether axis " +
                                std::to_string(axis) + " is the last one is not known",
                            "add shapes to the model first");
  }
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return converter.refuse(node, "its axis lies outside its input");
  transpose_around(converter, node, axis, *rank);
  return done();
}

}  // namespace hone::opset
