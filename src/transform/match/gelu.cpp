#include "transform/match/gelu.h"

#include <numbers>

#include "transform/patterns.h"

namespace hone {
namespace {

// 1 + erf(input / sqrt 2)
struct Gate {
  Value* input = nullptr;
  bool is_multiplied = false;
  Motif nodes;
};

std::optional<Gate> match_gate(const Value* value) {
  Node* add = producer_of(value, "Add");
  const auto one = add != nullptr ? constant_operand(*add) : std::nullopt;
  Node* erf = one ? producer_of(one->variable, "Erf") : nullptr;
  Node* scale = erf != nullptr && erf->input(0) != nullptr ? erf->input(0)->producer() : nullptr;
  if (scale == nullptr) return std::nullopt;
  const auto scaled = match_scaled(*scale);
  if (!scaled || !is_factor(*scaled, std::numbers::sqrt2 / 2)) return std::nullopt;
  if (number_beside(one->constant, scaled->value) != 1) return std::nullopt;
  return Gate{scaled->value, scale->is("Mul"), {scale, erf, add}};
}

// The three factors of a product of two Muls, in their roles.
std::optional<Gelu> match_roles(const Value* x, const Value* half, const Value* gate_value,
                                Gelu::Form form) {
  const auto gate = match_gate(gate_value);
  if (!gate || gate->input != x || number_beside(half, x) != 0.5) return std::nullopt;
  return Gelu{gate->is_multiplied ? Gelu::Form::multiplied : form, gate->input, gate->nodes};
}

// outer * (first * second)
std::optional<Gelu> match_factors(Value* outer, Value* first, Value* second) {
  if (auto gelu = match_roles(first, second, outer, Gelu::Form::input_halved)) return gelu;
  if (auto gelu = match_roles(first, outer, second, Gelu::Form::product_halved)) return gelu;
  return match_roles(outer, second, first, Gelu::Form::gate_halved);
}

}  // namespace

std::optional<Gelu> match_gelu(Node& end) {
  if (!end.is("Mul")) return std::nullopt;
  for (const auto [outer, product] : both_orders(end)) {
    Node* inner = producer_of(product, "Mul");
    if (inner == nullptr) continue;
    for (const auto [first, second] : both_orders(*inner)) {
      auto gelu = match_factors(outer, first, second);
      if (!gelu) continue;
      gelu->nodes.push_back(inner);
      gelu->nodes.push_back(&end);
      return gelu;
    }
  }
  return std::nullopt;
}

}  // namespace hone
