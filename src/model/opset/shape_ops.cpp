#include <algorithm>
#include <limits>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

bool is_all(const std::vector<std::int64_t>& values, std::int64_t wanted) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::int64_t value) { return value == wanted; });
}

// Pads for some axes as pads for all of them.
Result<std::vector<std::int64_t>> spread_pads(const Converter& converter, const Node& node,
                                              const std::vector<std::int64_t>& axes,
                                              const std::vector<std::int64_t>& pads) {
  const auto rank = converter.facts.rank(node.input(0));
  if (!rank || pads.size() != axes.size() * 2) {
    return converter.refuse(
        node,
        "it pads some axes only, which opset 17 does not have, and the rank of its "
        "input is not known",
        "add shapes to the model first");
  }
  const auto count = static_cast<std::size_t>(*rank);
  std::vector<std::int64_t> spread(count * 2, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + *rank : axes[i];
    if (axis < 0 || axis >= *rank) return converter.refuse(node, "its axes lie outside its input");
    spread[static_cast<std::size_t>(axis)] = pads[i];
    spread[static_cast<std::size_t>(axis) + count] = pads[axes.size() + i];
  }
  return spread;
}

// The sizes that num_outputs means: equal ones, and a smaller last one where the axis cannot be
// divided.
std::optional<std::vector<std::int64_t>> uneven_parts(const Fact& data, std::int64_t axis,
                                                      std::int64_t parts) {
  if (!data.shape || parts <= 0) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(data.shape->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  const std::int64_t size = (*data.shape)[static_cast<std::size_t>(axis)];
  if (size == unknown_dim || size % parts == 0) return std::nullopt;
  const std::int64_t part = size / parts + 1;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = size - part * (parts - 1);
  if (sizes.back() < 0) return std::nullopt;
  return sizes;
}

}  // namespace

Status pad_18_down(Converter& converter, Node& node) {
  converter.trim_inputs(node, 3);
  if (node.input(3) == nullptr) return done();
  HONE_TRY(const std::vector<std::int64_t> axes, converter.ints(node, 3, "axes"));
  HONE_TRY(const std::vector<std::int64_t> pads, converter.ints(node, 1, "pads"));
  HONE_TRY(const std::vector<std::int64_t> spread, spread_pads(converter, node, axes, pads));
  Value& fresh = converter.add_ints(node, "pads", spread);
  converter.drop_input(node, 3);
  converter.drop_input(node, 1);
  node.set_input(1, &fresh);
  converter.changed(node, "pads for all axes");
  return done();
}

Status pad_19_down(Converter& converter, Node& node) {
  if (node.string_or("mode", "constant") != "wrap") return done();
  return converter.refuse(node, "its mode is 'wrap', which opset 18 does not have");
}

// allowzero changes nothing where the shape has no zero.
Status reshape_down(Converter& converter, Node& node) {
  if (node.int_or("allowzero", 0) == 0) return done();
  HONE_TRY(const std::vector<std::int64_t> shape, converter.ints(node, 1, "shape"));
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return converter.refuse(node,
                            "its shape has a zero that means zero, which opset 13 cannot say");
  }
  node.remove_attribute("allowzero");
  converter.changed(node, "allowzero dropped");
  return done();
}

// Shape(start, end)  ->  Slice(Shape). Both clamp to the number of dimensions and count negative
// from the back.
Status shape_down(Converter& converter, Node& node) {
  const Attribute* start = node.attribute("start");
  const Attribute* end = node.attribute("end");
  if (start == nullptr && end == nullptr) return done();
  if ((start && !start->as_int()) || (end && !end->as_int())) {
    return converter.refuse(node, "its start or end is not known here");
  }
  const std::int64_t first = node.int_or("start", 0);
  const std::int64_t last = node.int_or("end", std::numeric_limits<std::int64_t>::max());
  converter.changed(
      node, end == nullptr && first == 0 ? "start dropped" : "start and end said with Slice");
  node.remove_attribute("start");
  node.remove_attribute("end");
  if (end == nullptr && first == 0) return done();
  const auto rank = converter.facts.rank(node.input(0));
  Value& whole = converter.insert(node, "whole",
                                  {"Shape",
                                   {node.input(0)},
                                   {},
                                   {ElementType::int64, std::vector{rank.value_or(unknown_dim)}}});
  Value& starts = converter.add_ints(node, "starts", {&first, 1});
  Value& ends = converter.add_ints(node, "ends", {&last, 1});
  converter.become(node, "Slice", {&whole, &starts, &ends});
  return done();
}

Status slice_10_down(Converter& converter, Node& node) {
  if (node.input(4) == nullptr) return done();
  HONE_TRY(const std::vector<std::int64_t> steps, converter.ints(node, 4, "steps"));
  if (!is_all(steps, 1)) return converter.refuse(node, "it has steps, which opset 9 does not");
  converter.drop_input(node, 4);
  converter.changed(node, "steps dropped");
  return done();
}

// Axes that count from the back, when they are known; axes of run time are what the model makes
// them.
Status slice_11_down(Converter& converter, Node& node) {
  std::optional<std::vector<std::int64_t>> axes = ints_of(node, "", 3);
  if (!axes ||
      std::all_of(axes->begin(), axes->end(), [](std::int64_t axis) { return axis >= 0; })) {
    return done();
  }
  const auto rank = converter.facts.rank(node.input(0));
  if (!rank) {
    return converter.refuse(
        node,
        "its axes count from the back, which opset 10 does not know, and the rank "
        "of its input is not known",
        "add shapes to the model first");
  }
  for (std::int64_t& axis : *axes) axis += axis < 0 ? *rank : 0;
  // All inputs have one type, so the fresh axes must be of the type the old ones were.
  if (constant_of(node.input(3))->type != ElementType::int64) {
    return converter.refuse(node, "its axes count from the back, and they are not int64");
  }
  Value& fresh = converter.add_ints(node, "axes", *axes);
  Value* steps = node.input(4);
  converter.drop_input(node, 3);
  node.set_input(3, &fresh);
  if (steps != nullptr) node.set_input(4, steps);
  converter.changed(node, "axes counted from the front");
  return done();
}

// Without sizes, opset 18 wants to be told how many parts there are.
Status split_18_up(Converter& converter, Node& node) {
  if (node.input(1) != nullptr) return done();
  node.set_attribute(
      make_attribute("num_outputs", static_cast<std::int64_t>(node.outputs().size())));
  converter.changed(node, "num_outputs added");
  return done();
}

Status split_18_down(Converter& converter, Node& node) {
  const Attribute* count = node.attribute("num_outputs");
  if (count == nullptr) return done();
  if (!count->as_int() || *count->as_int() != static_cast<std::int64_t>(node.outputs().size())) {
    return converter.refuse(node, "its num_outputs is not the number of its outputs");
  }
  const auto parts =
      uneven_parts(converter.facts.of(node.input(0)), node.int_or("axis", 0), *count->as_int());
  node.remove_attribute("num_outputs");
  converter.changed(node, "num_outputs dropped");
  if (parts) node.set_input(1, &converter.add_ints(node, "split", *parts));
  return done();
}

}  // namespace hone::opset
