#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

Status rename_mode(Converter& converter, Node& node, std::string_view from, std::string_view to) {
  node.set_attribute(make_attribute("mode", std::string(to)));
  converter.changed(node, "mode " + std::string(from) + " -> " + std::string(to));
  return done();
}

constexpr std::string_view transformation = "coordinate_transformation_mode";

}  // namespace

// Opset 20 calls the modes as Resize does, since the data may have three spatial dimensions.
Status grid_sample_up(Converter& converter, Node& node) {
  const std::string mode = node.string_or("mode", "bilinear");
  if (!node.attribute("mode") || mode == "nearest") return done();
  if (mode == "bilinear") return rename_mode(converter, node, mode, "linear");
  if (mode == "bicubic") return rename_mode(converter, node, mode, "cubic");
  return converter.refuse(node, "its mode is '" + mode + "', which is not one we know");
}

Status grid_sample_down(Converter& converter, Node& node) {
  const auto rank = converter.facts.rank(node.input(0));
  if (rank && *rank != 4) {
    return converter.refuse(node, "its data has " + std::to_string(*rank) +
                                      " dimensions, and opset 19 knows only images of 4");
  }
  const std::string mode = node.string_or("mode", "linear");
  if (!node.attribute("mode") || mode == "nearest") return done();
  if (mode == "linear") return rename_mode(converter, node, mode, "bilinear");
  if (mode == "cubic") return rename_mode(converter, node, mode, "bicubic");
  return converter.refuse(node, "its mode is '" + mode + "', which is not one we know");
}

// Before opset 16 there was one way, which opset 16 calls output_half_pixel and no longer defaults
// to.
Status roi_align_up(Converter& converter, Node& node) {
  node.set_attribute(make_attribute(std::string(transformation), std::string("output_half_pixel")));
  converter.changed(node, "coordinate_transformation_mode output_half_pixel made explicit");
  return done();
}

Status roi_align_down(Converter& converter, Node& node) {
  const std::string mode = node.string_or(transformation, "half_pixel");
  if (mode != "output_half_pixel") {
    return converter.refuse(node, "its coordinate_transformation_mode is '" + mode +
                                      "', and opset 15 knows only output_half_pixel");
  }
  node.remove_attribute(transformation);
  converter.changed(node, "coordinate_transformation_mode dropped");
  return done();
}

// Up to opset 8 the scales are an attribute.
Status upsample_9_up(Converter& converter, Node& node) {
  const Attribute* scales = node.attribute("scales");
  const Attribute::Floats* values = scales != nullptr ? scales->as_floats() : nullptr;
  if (values == nullptr) return converter.refuse(node, "its attribute 'scales' is missing");
  node.set_input(1, &converter.add_constant(node, "scales", make_float_tensor("", *values)));
  node.remove_attribute("scales");
  converter.changed(node, "scales: attribute -> input");
  return done();
}

// Resize of opset 10 is Upsample under a new name, which may also make smaller.
Status upsample_up(Converter& converter, Node& node) {
  converter.changed(node, "renamed Resize");
  node.op_type = "Resize";
  return done();
}

}  // namespace hone::opset
