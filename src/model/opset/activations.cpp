// Activations said in older ops, in the words exporters used before the op existed, which the
// fusions of runtimes recognise.

#include <cmath>
#include <numbers>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

// The element type of the node's data, for the constants beside it.
Result<ElementType> float_type(const Converter& converter, const Node& node) {
  const ElementType element = converter.facts.element(node.input(0));
  if (is_float(element) && can_hold_scalar(element)) return element;
  return converter.refuse(node,
                          "the element type of its data is not known, and opset " +
                              std::to_string(converter.opset()) + " needs constants of that type",
                          "add types to the model first");
}

// Writes the chain of one node with fewer words: each op's output has the type and shape of the
// data.
struct Chain {
  Converter& converter;
  Node& node;
  Fact fact;

  Value* scalar(std::string_view role, double value) const {
    return &converter.add_scalar(node, role, value, fact.element);
  }
  Value* op(std::string_view role, std::string name, std::vector<Value*> inputs) const {
    return &converter.insert(node, role, {std::move(name), std::move(inputs), {}, fact});
  }
};

Chain chain_for(Converter& converter, Node& node) {
  return {converter, node, converter.facts.of(node.input(0))};
}

// x / sqrt(2) -> Erf -> + 1 -> * x -> * 0.5
void write_erf_gelu(const Chain& chain) {
  Value* x = chain.node.input(0);
  Value* scaled = chain.op("div", "Div", {x, chain.scalar("sqrt2", std::numbers::sqrt2)});
  Value* erf = chain.op("erf", "Erf", {scaled});
  Value* shifted = chain.op("add", "Add", {erf, chain.scalar("one", 1)});
  Value* product = chain.op("mul", "Mul", {x, shifted});
  chain.converter.become(chain.node, "Mul", {product, chain.scalar("half", 0.5)});
}

// (x + 0.044715 x^3) * sqrt(2 / pi) -> Tanh -> + 1 -> * x -> * 0.5
void write_tanh_gelu(const Chain& chain) {
  Value* x = chain.node.input(0);
  Value* cube = chain.op("pow", "Pow", {x, chain.scalar("three", 3)});
  Value* small = chain.op("cube_mul", "Mul", {chain.scalar("coefficient", 0.044715), cube});
  Value* sum = chain.op("cube_add", "Add", {x, small});
  Value* scale = chain.scalar("scale", std::sqrt(2 * std::numbers::inv_pi));
  Value* tanh = chain.op("tanh", "Tanh", {chain.op("scaled", "Mul", {scale, sum})});
  Value* shifted = chain.op("add", "Add", {chain.scalar("one", 1), tanh});
  Value* product = chain.op("mul", "Mul", {x, shifted});
  chain.converter.become(chain.node, "Mul", {product, chain.scalar("half", 0.5)});
}

}  // namespace

Status expand_gelu(Converter& converter, Node& node) {
  HONE_TRY_DO(float_type(converter, node));
  const std::string approximate = node.string_or("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    return converter.refuse(node,
                            "its approximate is '" + approximate + "', which is not one we know");
  }
  converter.changed(node, approximate == "none" ? "said with Erf" : "said with Tanh");
  const Chain chain = chain_for(converter, node);
  if (approximate == "none")
    write_erf_gelu(chain);
  else
    write_tanh_gelu(chain);
  return done();
}

// x * HardSigmoid(x, alpha = 1/6, beta = 1/2)
Status expand_hard_swish(Converter& converter, Node& node) {
  converter.changed(node, "said with HardSigmoid");
  Value* x = node.input(0);
  Value& gate =
      converter.insert(node, "hard_sigmoid",
                       {"HardSigmoid",
                        {x},
                        attributes(make_attribute("alpha", 1.0F / 6), make_attribute("beta", 0.5F)),
                        converter.facts.of(x)});
  converter.become(node, "Mul", {x, &gate});
  return done();
}

// x * Tanh(Softplus(x))
Status expand_mish(Converter& converter, Node& node) {
  converter.changed(node, "said with Softplus and Tanh");
  const Chain chain = chain_for(converter, node);
  Value* x = node.input(0);
  Value* gate = chain.op("tanh", "Tanh", {chain.op("softplus", "Softplus", {x})});
  converter.become(node, "Mul", {x, gate});
  return done();
}

// x * Sigmoid(alpha * x)
Status expand_swish(Converter& converter, Node& node) {
  const float alpha = node.float_or("alpha", 1);
  if (alpha != 1) HONE_TRY_DO(float_type(converter, node));
  converter.changed(node, "said with Sigmoid");
  const Chain chain = chain_for(converter, node);
  Value* x = node.input(0);
  Value* scaled = alpha == 1 ? x : chain.op("scaled", "Mul", {chain.scalar("alpha", alpha), x});
  converter.become(node, "Mul", {x, chain.op("sigmoid", "Sigmoid", {scaled})});
  return done();
}

}  // namespace hone::opset
