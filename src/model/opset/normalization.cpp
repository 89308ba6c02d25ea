#include <algorithm>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

bool has_output_after_first(const Node& node) {
  const auto& outputs = node.outputs();
  return std::any_of(outputs.begin() + (outputs.empty() ? 0 : 1), outputs.end(),
                     [](const Value* output) { return output != nullptr; });
}

// The axes from `axis` to the last, counted from the back where the rank does not have to be known.
Result<std::vector<std::int64_t>> normalized_axes(const Converter& converter, const Node& node) {
  std::int64_t first = node.int_or("axis", -1);
  if (first >= 0) {
    const auto rank = converter.facts.rank(node.input(0));
    if (!rank || first >= *rank) {
      return converter.refuse(
          node, "its axis counts from the front, and the rank of its input is not known",
          "add shapes to the model first");
    }
    first -= *rank;
  }
  constexpr std::int64_t deepest = -64;
  if (first < deepest) return converter.refuse(node, "its axis lies outside its input");
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = first; axis < 0; ++axis) axes.push_back(axis);
  return axes;
}

// A normalization written out node by node, at the precision stash_type asks for.
struct Writer {
  Converter& converter;
  Node& node;
  std::vector<std::int64_t> axes;
  Fact data;           // what the node works on
  ElementType inside;  // what it computes in

  Value* op(std::string_view role, std::string name, std::vector<Value*> inputs,
            std::vector<Attribute> given = {}) const {
    return &converter.insert(
        node, role, {std::move(name), std::move(inputs), std::move(given), {inside, data.shape}});
  }
  Value* scalar(std::string_view role, double value) const {
    return &converter.add_scalar(node, role, value, inside);
  }
  Value* cast(std::string_view role, Value* value, ElementType to) const {
    if (inside == data.element) return value;
    Attribute attribute = make_attribute("to", static_cast<std::int64_t>(to));
    return &converter.insert(node, role,
                             {"Cast", {value}, attributes(std::move(attribute)), {to, data.shape}});
  }
  Value* mean(std::string_view role, Value* value) const {
    Attribute keep = make_attribute("keepdims", std::int64_t{1});
    // Axes are an attribute of ReduceMean up to opset 17 and an input after it.
    if (converter.opset() < 18) {
      return op(role, "ReduceMean", {value},
                attributes(make_attribute("axes", axes), std::move(keep)));
    }
    Value& axes_input = converter.add_ints(node, std::string(role) + "_axes", axes);
    return op(role, "ReduceMean", {value, &axes_input}, attributes(std::move(keep)));
  }
  // value / sqrt(mean(value ^ 2) + epsilon)
  Value* divide_by_deviation(Value* value) const {
    Value* square = op("pow", "Pow", {value, scalar("two", 2)});
    const double epsilon = node.float_or("epsilon", 1e-5F);
    Value* variance =
        op("add_epsilon", "Add", {mean("variance", square), scalar("epsilon", epsilon)});
    return op("normalized", "Div", {value, op("deviation", "Sqrt", {variance})});
  }
};

Result<Writer> writer_for(Converter& converter, Node& node) {
  HONE_TRY(std::vector<std::int64_t> axes, normalized_axes(converter, node));
  const Fact data = converter.facts.of(node.input(0));
  if (!is_float(data.element) || !can_hold_scalar(data.element)) {
    return converter.refuse(node,
                            "the element type of its data is not known, and opset " +
                                std::to_string(converter.opset()) + " needs constants of that type",
                            "add types to the model first");
  }
  const auto stash = static_cast<ElementType>(node.int_or("stash_type", 1));
  if (stash != ElementType::float32 && stash != data.element) {
    return converter.refuse(node,
                            "its stash_type is " + name_of(stash) + ", which we do not write out");
  }
  return Writer{converter, node, std::move(axes), data, stash};
}

// The last multiplication and addition, with what is left out left out.
void scale_and_shift(Converter& converter, Node& node, Value* normalized, const Fact& data) {
  Value* scale = node.input(1);
  Value* shift = node.input(2);
  if (shift == nullptr) return converter.become(node, "Mul", {normalized, scale});
  Value& scaled = converter.insert(node, "scaled", {"Mul", {normalized, scale}, {}, data});
  converter.become(node, "Add", {&scaled, shift});
}

}  // namespace

// Up to opset 8 there may be statistics for every place of the data, not only for every channel.
Status batch_normalization_9_up(Converter& converter, Node& node) {
  const Attribute* spatial = node.attribute("spatial");
  if (spatial == nullptr) return done();
  if (is_parameter(*spatial) || node.int_or("spatial", 1) != 1) {
    return converter.refuse(
        node, "it has statistics for every place (spatial), which opset 9 does not have");
  }
  node.remove_attribute("spatial");
  converter.changed(node, "spatial dropped");
  return done();
}

// Up to opset 13 the number of outputs says whether the node is training; from 14 on an attribute
// does, and the statistics it returns are other ones.
Status batch_normalization_up(Converter& converter, Node& node) {
  if (!has_output_after_first(node)) return done();
  return converter.refuse(
      node, "it is in training mode (it returns statistics), and opset 14 returns other ones");
}

Status batch_normalization_down(Converter& converter, Node& node) {
  if (node.int_or("training_mode", 0) != 0 || has_output_after_first(node)) {
    return converter.refuse(node, "it is in training mode, which opset 13 says in another way");
  }
  const Attribute* mode = node.attribute("training_mode");
  if (mode == nullptr) return done();
  if (is_parameter(*mode)) {
    return converter.refuse(node, "its training_mode is a parameter of the function around it");
  }
  node.remove_attribute("training_mode");
  converter.changed(node, "training_mode dropped");
  return done();
}

// Since opset 15 scale and statistics may have other types than the data.
Status batch_normalization_15_down(Converter& converter, Node& node) {
  const ElementType data = converter.facts.element(node.input(0));
  for (std::size_t i = 1; i < node.inputs().size(); ++i) {
    const ElementType other = converter.facts.element(node.input(i));
    const bool known = data != ElementType::undefined && other != ElementType::undefined;
    if (!known || other == data) continue;
    return converter.refuse(node, "its data is " + name_of(data) + " and its statistics are " +
                                      name_of(other) + "; opset 14 wants one type");
  }
  return done();
}

// The mask was of the data's type before opset 10, and has no meaning without training before
// opset 12.
Status check_dropout_mask(Converter& converter, Node& node) {
  if (node.output(1) == nullptr || !node.output(1)->is_used()) return done();
  return converter.refuse(node,
                          "its mask is used, and what it holds changed with opsets 10 and 12");
}

Status dropout_down(Converter& converter, Node& node) {
  HONE_TRY_DO(check_dropout_mask(converter, node));
  if (node.input(2) != nullptr) {
    HONE_TRY(const std::vector<std::int64_t> training, converter.ints(node, 2, "training_mode"));
    if (training.size() != 1 || training.front() != 0) {
      return converter.refuse(node, "it is in training mode, which opset 11 does not have");
    }
    converter.drop_input(node, 2);
    converter.changed(node, "training_mode dropped");
  }
  // The seed matters in training alone.
  if (node.remove_attribute("seed")) converter.changed(node, "seed dropped");
  return done();
}

// (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + shift
Status expand_layer_normalization(Converter& converter, Node& node) {
  if (has_output_after_first(node)) {
    return converter.refuse(node, "its mean or deviation is used, which opset 16 has no op for");
  }
  HONE_TRY(const Writer writer, writer_for(converter, node));
  converter.changed(node, "written out");
  Value* x = writer.cast("cast", node.input(0), writer.inside);
  Value* centered = writer.op("centered", "Sub", {x, writer.mean("mean", x)});
  Value* normalized = writer.divide_by_deviation(centered);
  scale_and_shift(converter, node, writer.cast("cast_back", normalized, writer.data.element),
                  writer.data);
  return done();
}

// x / sqrt(mean(x^2) + epsilon) * scale
Status expand_rms_normalization(Converter& converter, Node& node) {
  HONE_TRY(const Writer writer, writer_for(converter, node));
  converter.changed(node, "written out");
  Value* x = writer.cast("cast", node.input(0), writer.inside);
  Value* normalized = writer.divide_by_deviation(x);
  scale_and_shift(converter, node, writer.cast("cast_back", normalized, writer.data.element),
                  writer.data);
  return done();
}

}  // namespace hone::opset
