//   Before:  com.microsoft.FusedConv(x, W, b, z) <activation = "Relu"> -> y
//   After:   Conv(x, W, b) -> Add(z) -> Relu -> y
//   Declines an activation that it does not know.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "FusedConv"); }

NamedActivation activation_of(const Node& conv) {
  const Attribute* given = conv.attribute("activation_params");
  const Attribute::Floats* parameters = given != nullptr ? given->as_floats() : nullptr;
  return {conv.string_or("activation", ""),
          parameters != nullptr ? *parameters : Attribute::Floats{}};
}

// What it shares with Conv.
std::vector<Attribute> attributes_of_conv(const Node& conv) {
  std::vector<Attribute> kept;
  if (conv.attribute("auto_pad") != nullptr)
    kept.push_back(make_attribute("auto_pad", conv.string_or("auto_pad", "")));
  for (const char* name : {"dilations", "kernel_shape", "pads", "strides"}) {
    const Attribute* held = conv.attribute(name);
    if (held != nullptr && held->as_ints() != nullptr)
      kept.push_back(make_attribute(name, *held->as_ints()));
  }
  if (conv.attribute("group") != nullptr)
    kept.push_back(make_attribute("group", conv.int_or("group", 1)));
  return kept;
}

void unfuse(Rewriter& rewriter, Node& conv) {
  const NamedActivation activation = activation_of(conv);
  for (const std::string& why : {no_numbers(conv), no_activation(activation, rewriter.opset())})
    if (!why.empty()) return rewriter.decline(conv, why);
  Parts parts(rewriter, conv);
  std::vector<Value*> inputs = {conv.input(0), conv.input(1)};
  if (conv.input(2) != nullptr) inputs.push_back(conv.input(2));
  Value* made = &parts.op("Conv", std::move(inputs), attributes_of_conv(conv));
  if (conv.input(3) != nullptr) made = &parts.sum(*made, *conv.input(3));
  parts.become(add_activation(parts, *made, activation));
}

Status run(Rewriter& rewriter) {
  for (Node* conv : nodes_where(rewriter, is_whole)) unfuse(rewriter, *conv);
  return done();
}

}  // namespace

Pass unfuse_conv_activation() {
  return unfusing("unfuse-conv-activation", "Write FusedConv as Conv, Add and activation", run);
}

}  // namespace hone::passes
