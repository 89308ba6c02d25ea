// GroupNormalization. Opset 18 has one scale and bias per group, opset 21 one per channel. With
// constants the first repeated is the second, and the second is the first where it does not vary
// inside a group.

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

struct Sizes {
  std::uint64_t groups;
  std::uint64_t channels;
};

Result<Sizes> sizes_of(const Converter& converter, const Node& node) {
  const std::int64_t groups = node.int_or("num_groups", 0);
  const PartialShape shape = converter.facts.of(node.input(0)).shape;
  const std::int64_t channels = shape && shape->size() > 1 ? (*shape)[1] : unknown_dim;
  if (groups > 0 && channels > 0 && channels % groups == 0) {
    return Sizes{static_cast<std::uint64_t>(groups), static_cast<std::uint64_t>(channels)};
  }
  return converter.refuse(
      node,
      "scale and bias are per group before opset 21 and per channel from then on, "
      "and the number of channels is not known",
      "add shapes to the model first");
}

Result<std::string_view> bytes_of_input(const Converter& converter, const Node& node,
                                        std::size_t input, std::uint64_t elements) {
  const std::string what = input == 1 ? "scale" : "bias";
  HONE_TRY(const TensorPtr tensor, converter.constant(node, input, what));
  if (tensor->element_count() != elements) {
    return converter.refuse(node, "its " + what + " has " +
                                      std::to_string(tensor->element_count()) +
                                      " elements and not " + std::to_string(elements));
  }
  return tensor->bytes();
}

void replace_input(Converter& converter, Node& node, std::size_t input, std::string bytes,
                   std::uint64_t elements) {
  const std::string role = input == 1 ? "scale" : "bias";
  const ElementType type = constant_of(node.input(input))->type;
  Value& fresh = converter.add_constant(
      node, role,
      make_tensor("", type, {static_cast<std::int64_t>(elements)}, Blob::own(std::move(bytes))));
  converter.drop_input(node, input);
  node.set_input(input, &fresh);
}

std::string repeated(std::string_view bytes, Sizes sizes) {
  const std::size_t width = bytes.size() / sizes.groups;
  std::string result;
  for (std::uint64_t channel = 0; channel < sizes.channels; ++channel) {
    const std::uint64_t group = channel / (sizes.channels / sizes.groups);
    result += bytes.substr(group * width, width);
  }
  return result;
}

std::string first_of_each_group(std::string_view bytes, Sizes sizes) {
  const std::size_t width = bytes.size() / sizes.channels;
  std::string result;
  for (std::uint64_t group = 0; group < sizes.groups; ++group) {
    result += bytes.substr(group * (sizes.channels / sizes.groups) * width, width);
  }
  return result;
}

}  // namespace

Status group_normalization_up(Converter& converter, Node& node) {
  HONE_TRY(const Sizes sizes, sizes_of(converter, node));
  HONE_TRY(const std::string_view scale, bytes_of_input(converter, node, 1, sizes.groups));
  HONE_TRY(const std::string_view bias, bytes_of_input(converter, node, 2, sizes.groups));
  replace_input(converter, node, 1, repeated(scale, sizes), sizes.channels);
  replace_input(converter, node, 2, repeated(bias, sizes), sizes.channels);
  converter.changed(node, "scale and bias per channel");
  return done();
}

Status group_normalization_down(Converter& converter, Node& node) {
  if (node.int_or("stash_type", 1) != 1) {
    return converter.refuse(node, "opset 20 has no stash_type, and here it matters");
  }
  HONE_TRY(const Sizes sizes, sizes_of(converter, node));
  HONE_TRY(const std::string_view scale, bytes_of_input(converter, node, 1, sizes.channels));
  HONE_TRY(const std::string_view bias, bytes_of_input(converter, node, 2, sizes.channels));
  const std::string scales = first_of_each_group(scale, sizes);
  const std::string biases = first_of_each_group(bias, sizes);
  if (repeated(scales, sizes) != scale || repeated(biases, sizes) != bias) {
    return converter.refuse(node,
                            "its scale or bias varies inside a group, which opset 20 cannot say");
  }
  replace_input(converter, node, 1, scales, sizes.groups);
  replace_input(converter, node, 2, biases, sizes.groups);
  node.remove_attribute("stash_type");
  converter.changed(node, "scale and bias per group");
  return done();
}

}  // namespace hone::opset
