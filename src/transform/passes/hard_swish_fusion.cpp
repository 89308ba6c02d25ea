//   Before:  x -> Add(3) -> Clip(0, 6) -> Mul(x) -> Div(6) -> y      (also x -> Mul before Div, and
//            Mul(1/6) in the place of Div, before or after the Mul with x)
//   After:   x -> HardSwish -> y
//   Declines below opset 14, when a constant is another one, and when somebody else uses what lies
//   between.
#include "transform/pass.h"

namespace hone::passes {
namespace {

// min and max are attributes before opset 11 and inputs since.
bool clips_from_0_to_6(const Node& clip) {
  if (clip.inputs().size() == 1) {
    return clip.float_or("min", -1) == 0 && clip.float_or("max", -1) == 6;
  }
  return scalar_of(clip.input(1)) == 0 && scalar_of(clip.input(2)) == 6;
}

// The x of Clip(x + 3, 0, 6), when the value is that.
Value* gate_input(const Value* value) {
  const Node* clip = producer_of(value, "Clip");
  if (clip == nullptr || !clips_from_0_to_6(*clip)) return nullptr;
  const Node* add = producer_of(clip->input(0), "Add");
  if (add == nullptr || only_consumer(*clip->input(0)) != clip) return nullptr;
  const auto operands = constant_operand(*add);
  return operands && scalar_of(operands->constant) == 3 ? operands->variable : nullptr;
}

// The value before a division by 6, however it is written; null when the node is none.
Value* divided_by_six(const Node& node) {
  if (node.is("Div")) return scalar_of(node.input(1)) == 6 ? node.input(0) : nullptr;
  const auto operands = node.is("Mul") ? constant_operand(node) : std::nullopt;
  return operands && is_scalar(operands->constant, 1.0 / 6.0, 1e-6) ? operands->variable : nullptr;
}

// x of x * gate(x), or of x * (gate(x) / 6) when `gate_is_divided`.
Value* product_input(const Node& mul, bool gate_is_divided) {
  for (const std::size_t gate_index : {std::size_t{0}, std::size_t{1}}) {
    Value* gate = mul.input(gate_index);
    Value* x = mul.input(1 - gate_index);
    if (gate == nullptr || gate->producer() == nullptr || only_consumer(*gate) != &mul) continue;
    Value* inner = gate_is_divided ? divided_by_six(*gate->producer()) : gate;
    if (inner == nullptr || (gate_is_divided && only_consumer(*inner) != gate->producer()))
      continue;
    if (x != nullptr && gate_input(inner) == x) return x;
  }
  return nullptr;
}

// x when the node's output is hard-swish of x.
Value* swish_input(const Node& node) {
  if (node.is("Mul")) {
    if (Value* x = product_input(node, true)) return x;
  }
  Value* product = divided_by_six(node);
  const Node* mul = producer_of(product, "Mul");
  if (mul == nullptr || only_consumer(*product) != &node) return nullptr;
  return product_input(*mul, false);
}

Status run(Rewriter& rewriter) {
  std::vector<Node*> ends = rewriter.nodes("Div");
  for (Node* mul : rewriter.nodes("Mul")) ends.push_back(mul);
  for (Node* end : ends) {
    Value* x = end->is_removed() ? nullptr : swish_input(*end);
    if (x == nullptr) continue;
    if (!rewriter.has_opset(*end, "HardSwish", 14)) continue;
    Value& swish = rewriter.add(*end, {.op = "HardSwish", .inputs = {x}, .type = x->type});
    rewriter.replace(*end->output(0), swish);
  }
  return done();
}

}  // namespace

Pass hard_swish_fusion() {
  return {.name = "hard-swish-fusion",
          .summary = "Make one HardSwish of Add, Clip, Mul and Div",
          .category = "activation",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{.makes = "HardSwish", .native_since = 14}};
}

}  // namespace hone::passes
