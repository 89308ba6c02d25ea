#include <algorithm>
#include <numeric>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

constexpr std::string_view transformation = "coordinate_transformation_mode";

bool is_empty_constant(const Value* value) {
  const TensorPtr tensor = constant_of(value);
  return tensor && tensor->element_count() == 0;
}

bool all(const std::vector<double>& values, bool (*holds)(double)) {
  return std::all_of(values.begin(), values.end(), holds);
}

bool enlarges(const std::vector<double>& scales) {
  return all(scales, [](double scale) { return scale >= 1; });
}

bool shrinks(const std::vector<double>& scales) {
  return all(scales, [](double scale) { return scale <= 1; });
}

Result<std::vector<double>> constant_scales(const Converter& converter, const Node& node,
                                            std::size_t input) {
  HONE_TRY(const TensorPtr tensor, converter.constant(node, input, "scales"));
  return to_doubles(*tensor);
}

// How opset 10 rounds is not written down. Runtimes take the pixel before when they enlarge and the
// one after when they shrink, each per node.
Result<std::string> rounding_of_opset_10(Converter& converter, const Node& node) {
  if (!constant_of(node.input(1))) {
    converter.note(node,
                   "its scales are computed at run time; read as enlarging (nearest_mode floor)");
    return std::string("floor");
  }
  HONE_TRY(const std::vector<double> scales, constant_scales(converter, node, 1));
  if (enlarges(scales)) return std::string("floor");
  if (shrinks(scales)) return std::string("ceil");
  return converter.refuse(
      node,
      "it enlarges one dimension and shrinks another, where opset 10 leaves the "
      "rounding open");
}

Failure refuse_value(const Converter& converter, const Node& node, std::string_view name,
                     const std::string& value) {
  return converter.refuse(node, "its " + std::string(name) + " is '" + value + "', which opset " +
                                    std::to_string(converter.opset()) + " does not have");
}

// What opset 10 cannot be told, and does in one fixed way.
Status check_fixed_way(const Converter& converter, const Node& node) {
  const std::string mode = node.string_or("mode", "nearest");
  if (mode == "cubic") return refuse_value(converter, node, "mode", mode);
  const std::string how = node.string_or(transformation, "half_pixel");
  if (how != "asymmetric") return refuse_value(converter, node, transformation, how);
  if (node.input(3) != nullptr) {
    return converter.refuse(node, "it is given sizes, and opset 10 knows only scales");
  }
  if (mode != "nearest") return done();
  HONE_TRY(const std::vector<double> scales, constant_scales(converter, node, 2));
  const std::string rounding = node.string_or("nearest_mode", "round_prefer_floor");
  const bool as_opset_10 =
      rounding == "floor" ? enlarges(scales) : rounding == "ceil" && shrinks(scales);
  if (as_opset_10) return done();
  return refuse_value(converter, node, "nearest_mode", rounding);
}

// Scales for some axes as scales for all of them.
Status spread_scales(Converter& converter, Node& node, const Attribute::Ints& axes) {
  const auto rank = converter.facts.rank(node.input(0));
  if (!rank || node.input(3) != nullptr || node.input(1) != nullptr) {
    return converter.refuse(
        node,
        "it names axes, which opset 17 does not have, and what holds for the other "
        "axes is not known");
  }
  HONE_TRY(const std::vector<double> given, constant_scales(converter, node, 2));
  std::vector<float> scales(static_cast<std::size_t>(*rank), 1.0F);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + *rank : axes[i];
    if (axis < 0 || axis >= *rank || axes.size() != given.size()) {
      return converter.refuse(node, "its axes do not fit its input");
    }
    scales[static_cast<std::size_t>(axis)] = static_cast<float>(given[i]);
  }
  Value& spread = converter.add_constant(node, "scales", make_float_tensor("", scales));
  converter.drop_input(node, 2);
  node.set_input(2, &spread);
  return done();
}

}  // namespace

// Upsample enlarges only; otherwise Resize of opset 10 is the same.
Status expand_resize(Converter& converter, Node& node) {
  HONE_TRY(const std::vector<double> scales, constant_scales(converter, node, 1));
  if (!enlarges(scales)) {
    return converter.refuse(node, "it makes its input smaller, which Upsample of opset 9 cannot");
  }
  converter.changed(node, "renamed Upsample");
  node.op_type = "Upsample";
  return done();
}

Status resize_11_up(Converter& converter, Node& node) {
  if (node.string_or("mode", "nearest") == "nearest") {
    HONE_TRY(std::string rounding, rounding_of_opset_10(converter, node));
    node.set_attribute(make_attribute("nearest_mode", std::move(rounding)));
  }
  node.set_attribute(make_attribute(std::string(transformation), std::string("asymmetric")));
  Value* scales = node.input(1);
  node.set_input(1, &converter.add_constant(node, "roi", make_float_tensor("", {})));
  node.set_input(2, scales);
  converter.changed(node, "the one way of opset 10 made explicit");
  return done();
}

Status resize_11_down(Converter& converter, Node& node) {
  HONE_TRY_DO(check_fixed_way(converter, node));
  for (const std::string_view name :
       {transformation, std::string_view("nearest_mode"), std::string_view("cubic_coeff_a"),
        std::string_view("exclude_outside"), std::string_view("extrapolation_value")}) {
    node.remove_attribute(name);
  }
  Value* scales = node.input(2);
  converter.drop_input(node, 1);
  node.set_inputs({node.input(0), scales});
  converter.changed(node, "written in the one way of opset 10");
  return done();
}

// In opset 11 an input that is not used is an empty tensor; from 13 on it is left out.
Status resize_13_up(Converter& converter, Node& node) {
  const std::string how = node.string_or(transformation, "half_pixel");
  if (how == "tf_half_pixel_for_nn") return refuse_value(converter, node, transformation, how);
  for (const std::size_t input : {2U, 1U}) {
    if (!is_empty_constant(node.input(input))) continue;
    converter.drop_input(node, input);
    converter.changed(node, "empty inputs left out");
  }
  return done();
}

Status resize_13_down(Converter& converter, Node& node) {
  const std::size_t last = node.input(3) != nullptr ? 2 : 1;
  for (std::size_t input = 1; input <= last; ++input) {
    if (node.input(input) != nullptr) continue;
    const std::string_view role = input == 1 ? "roi" : "scales";
    node.set_input(input, &converter.add_constant(node, role, make_float_tensor("", {})));
    converter.changed(node, "inputs left out made empty");
  }
  return done();
}

Status resize_18_down(Converter& converter, Node& node) {
  // With scales there is no size to keep a ratio in.
  if (node.input(3) == nullptr && node.remove_attribute("keep_aspect_ratio_policy")) {
    converter.changed(node, "keep_aspect_ratio_policy dropped");
  }
  const Attribute* attribute = node.attribute("axes");
  if (attribute == nullptr) return done();
  if (!attribute->as_ints()) return converter.refuse(node, "its axes are not known here");
  Attribute::Ints all_axes(attribute->as_ints()->size());
  std::iota(all_axes.begin(), all_axes.end(), 0);
  const bool names_all =
      converter.facts.rank(node.input(0)) == static_cast<std::int64_t>(all_axes.size()) &&
      *attribute->as_ints() == all_axes;
  if (!names_all) HONE_TRY_DO(spread_scales(converter, node, *attribute->as_ints()));
  node.remove_attribute("axes");
  converter.changed(node, "axes dropped");
  return done();
}

Status resize_19_down(Converter& converter, Node& node) {
  const std::string how = node.string_or(transformation, "half_pixel");
  if (how == "half_pixel_symmetric") return refuse_value(converter, node, transformation, how);
  return done();
}

}  // namespace hone::opset
