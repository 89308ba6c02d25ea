// Ops that carry data: constants, scatter, control flow, optional values.

#include <algorithm>
#include <array>

#include "model/opset/adapters.h"

namespace hone::opset {

Status constant_11_down(Converter& converter, Node& node) {
  if (!node.attribute("sparse_value")) return done();
  return converter.refuse(node, "it holds a sparse tensor, which opset 10 does not have");
}

// Numbers and lists become the tensor they stand for.
Status constant_12_down(Converter& converter, Node& node) {
  if (node.attribute("value") || node.attribute("sparse_value")) return done();
  for (const std::string_view name : {"value_string", "value_strings"}) {
    const Attribute* attribute = node.attribute(name);
    if (attribute == nullptr || is_parameter(*attribute)) continue;
    auto tensor = std::make_shared<Tensor>();
    tensor->type = ElementType::string;
    if (attribute->as_string()) tensor->strings.emplace_back(attribute->as_string()->view());
    if (const auto* texts = std::get_if<std::vector<Blob>>(&attribute->held)) {
      for (const Blob& text : *texts) tensor->strings.emplace_back(text.view());
      tensor->dims.push_back(static_cast<std::int64_t>(texts->size()));
    }
    converter.changed(node, std::string(name) + " -> value");
    node.attributes.clear();
    node.set_attribute(make_attribute("value", TensorPtr(tensor)));
    return done();
  }
  const TensorPtr tensor = constant_of(node.output(0));
  if (!tensor) return converter.refuse(node, "its value is a parameter of the function around it");
  converter.changed(node, node.attributes.front().name + " -> value");
  node.attributes.clear();
  node.set_attribute(make_attribute("value", tensor));
  return done();
}

Status scatter_up(Converter& converter, Node& node) {
  converter.changed(node, "renamed ScatterElements");
  node.op_type = "ScatterElements";
  return done();
}

Status expand_scatter_elements(Converter& converter, Node& node) {
  if (const std::int64_t axis = node.int_or("axis", 0); axis < 0) {
    const auto rank = converter.facts.rank(node.input(0));
    if (!rank) {
      return converter.refuse(node,
                              "its axis counts from the back, which Scatter of opset 10 does not "
                              "know, and the rank of its input is not known",
                              "add shapes to the model first");
    }
    node.set_attribute(make_attribute("axis", axis + *rank));
  }
  converter.changed(node, "renamed Scatter");
  node.op_type = "Scatter";
  return done();
}

Status scatter_18_down(Converter& converter, Node& node) {
  const std::string reduction = node.string_or("reduction", "none");
  if (reduction != "max" && reduction != "min") return done();
  return converter.refuse(node,
                          "its reduction is '" + reduction + "', which opset 17 does not have");
}

// Scan of opset 8 has a batch and lengths of sequences, which later ones do not have.
Status scan_9_up(Converter& converter, Node& node) {
  return converter.refuse(node, "it is the Scan of opset 8, which has a batch of its own");
}

Status scan_down(Converter& converter, Node& node) {
  for (const std::string_view name : {"scan_input_axes", "scan_output_axes"}) {
    const Attribute* attribute = node.attribute(name);
    const Attribute::Ints* axes = attribute ? attribute->as_ints() : nullptr;
    if (axes &&
        std::any_of(axes->begin(), axes->end(), [](std::int64_t axis) { return axis < 0; })) {
      return converter.refuse(
          node, "its " + std::string(name) + " count from the back, which opset 10 does not know");
    }
  }
  return done();
}

// Since opset 18 these also take a plain tensor or sequence.
Status optional_down(Converter& converter, Node& node) {
  const Value* input = node.input(0);
  if (input == nullptr)
    return converter.refuse(node, "it has no input, which opset 17 does not allow");
  if (!input->type.is_known() || input->type.kind == Type::Kind::optional) return done();
  return converter.refuse(node, "its input is not an optional value, which opset 17 asks for");
}

Status attention_down(Converter& converter, Node& node) {
  converter.trim_inputs(node, 6);
  if (node.input(6) == nullptr) return done();
  return converter.refuse(node, "it has nonpad_kv_seqlen, which opset 23 does not have");
}

}  // namespace hone::opset
