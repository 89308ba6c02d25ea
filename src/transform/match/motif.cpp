#include "transform/match/motif.h"

#include <algorithm>
#include <cmath>

#include "transform/patterns.h"

namespace hone {

const Value* used_outside(std::span<Node* const> motif) {
  const auto is_inside = [&](const Use& use) { return std::ranges::count(motif, use.node) > 0; };
  for (const Node* node : motif.first(motif.size() - 1)) {
    for (const Value* value : node->outputs()) {
      if (value == nullptr) continue;
      if (value->is_graph_output() || !std::ranges::all_of(value->uses(), is_inside)) return value;
    }
  }
  return nullptr;
}

std::array<Operands, 2> both_orders(const Node& node) {
  return {Operands{node.input(0), node.input(1)}, Operands{node.input(1), node.input(0)}};
}

std::optional<double> number_beside(const Value* constant, const Value* other) {
  const TensorPtr tensor = constant != nullptr ? constant->constant() : nullptr;
  if (!tensor || other == nullptr || tensor->element_count() != 1) return std::nullopt;
  if (tensor->dims.size() > rank_of(other).value_or(1)) return std::nullopt;
  return scalar_of(constant);
}

std::optional<Scaled> match_scaled(const Node& node) {
  if (!node.is("Mul") && !node.is("Div")) return std::nullopt;
  const auto operands = constant_operand(node);
  if (!operands || (node.is("Div") && operands->constant_index == 0)) return std::nullopt;
  const auto number = number_beside(operands->constant, operands->variable);
  if (!number || *number == 0) return std::nullopt;
  return Scaled{operands->variable, node.is("Div") ? 1 / *number : *number,
                operands->constant->constant()->type};
}

bool is_factor(const Scaled& scaled, double number) {
  const double tolerance = scaled.type == ElementType::float16    ? 0x1p-11
                           : scaled.type == ElementType::bfloat16 ? 0x1p-8
                                                                  : 1e-5;
  return std::abs(scaled.factor - number) <= tolerance * std::abs(number);
}

std::optional<Square> match_square(const Value* value) {
  if (Node* pow = producer_of(value, "Pow")) {
    if (number_beside(pow->input(1), pow->input(0)) != 2) return std::nullopt;
    return Square{pow->input(0), pow, true};
  }
  Node* mul = producer_of(value, "Mul");
  if (mul == nullptr || mul->input(0) != mul->input(1)) return std::nullopt;
  return Square{mul->input(0), mul, false};
}

std::optional<std::vector<std::int64_t>> kept_axes(const Node& reduce) {
  if (reduce.int_or("keepdims", 1) != 1) return std::nullopt;
  return ints_from(reduce, "axes", 1);
}

bool same_dim(const Dim& a, const Dim& b) {
  if (a.value || b.value) return a.value == b.value;
  return !a.symbol.empty() && a.symbol == b.symbol;
}

bool is_one(const Dim& dim) { return dim.value == 1; }

std::optional<Shape> known_shape(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const TensorPtr tensor = value->constant()) return shape_of(tensor->dims);
  return value->type.is_tensor() ? value->type.shape : std::nullopt;
}

}  // namespace hone
