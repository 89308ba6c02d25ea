#include <algorithm>
#include <cmath>
#include <numbers>

#include "transform/detect/detectors.h"
#include "transform/match/gelu.h"
#include "transform/patterns.h"

namespace hone::detect {
namespace {

Node* maker(const Value* value) { return value != nullptr ? value->producer() : nullptr; }

// The value that is multiplied by this number to make `value`; null when it is not.
Value* before_factor(const Value* value, double factor) {
  const Node* node = maker(value);
  const auto scaled = node != nullptr ? match_scaled(*node) : std::nullopt;
  return scaled && is_factor(*scaled, factor) ? scaled->value : nullptr;
}

bool is_cube_of(const Value* value, const Value* x) {
  if (const Node* pow = producer_of(value, "Pow")) {
    return pow->input(0) == x && number_beside(pow->input(1), x) == 3;
  }
  const Node* mul = producer_of(value, "Mul");
  if (mul == nullptr) return false;
  return std::ranges::any_of(both_orders(*mul), [&](const Operands& operands) {
    const auto square = match_square(operands.one);
    return operands.other == x && square && square->base == x;
  });
}

constexpr double cubic = 0.044715;
const double root_of_two_by_pi = std::sqrt(2 / std::numbers::pi);

// x of x + 0.044715 x^3
Value* input_of_cubic(const Value* value) {
  const Node* add = producer_of(value, "Add");
  if (add == nullptr) return nullptr;
  for (const auto [x, term] : both_orders(*add)) {
    const Value* cube = before_factor(term, cubic);
    if (x != nullptr && cube != nullptr && is_cube_of(cube, x)) return x;
  }
  return nullptr;
}

// x of (sqrt(2 / pi) x) (1 + 0.044715 x x), as Megatron writes it.
Value* input_of_factored(const Value* value) {
  const Node* mul = producer_of(value, "Mul");
  if (mul == nullptr) return nullptr;
  for (const auto [scaled, sum] : both_orders(*mul)) {
    Value* x = before_factor(scaled, root_of_two_by_pi);
    const Node* add = producer_of(sum, "Add");
    const auto one = add != nullptr ? constant_operand(*add) : std::nullopt;
    if (x == nullptr || !one || number_beside(one->constant, x) != 1) continue;
    const Node* product = producer_of(one->variable, "Mul");
    if (product == nullptr) continue;
    for (const auto [left, right] : both_orders(*product)) {
      if (right == x && before_factor(left, cubic) == x) return x;
    }
  }
  return nullptr;
}

// The last Mul of x * 0.5 * gate in whatever order; null when it is none.
Node* end_of_halved_product(const Value& gate, const Value& x) {
  Node* mul = only_consumer(gate);
  if (mul == nullptr || !mul->is("Mul")) return nullptr;
  const Value* other = other_operand(*mul, gate);
  if (before_factor(other, 0.5) == &x) return mul;
  Node* last = only_consumer(*mul->output(0));
  if (last == nullptr || !last->is("Mul")) return nullptr;
  const Value* third = other_operand(*last, *mul->output(0));
  const bool is_halved_last = other == &x && number_beside(third, &x) == 0.5;
  const bool is_halved_first = third == &x && number_beside(other, &x) == 0.5;
  return is_halved_last || is_halved_first ? last : nullptr;
}

Node* end_of_fast_gelu(const Node& tanh) {
  const Value* inside = before_factor(tanh.input(0), root_of_two_by_pi);
  const Value* x = inside != nullptr ? input_of_cubic(inside) : input_of_factored(tanh.input(0));
  const Node* add = x != nullptr ? only_consumer(*tanh.output(0)) : nullptr;
  if (add == nullptr || !add->is("Add")) return nullptr;
  const auto one = constant_operand(*add);
  if (!one || number_beside(one->constant, x) != 1) return nullptr;
  return end_of_halved_product(*add->output(0), *x);
}

// Whether the value is something plus a vector, and only these nodes use it.
bool is_biased(const Value* value, std::span<Node* const> users) {
  const Node* add = producer_of(value, "Add");
  if (add == nullptr || value->is_graph_output()) return false;
  const auto operands = constant_operand(*add);
  if (!operands || operands->constant->constant()->dims.size() != 1) return false;
  return std::ranges::all_of(value->uses(), [&](const Use& use) {
    return std::ranges::find(users, use.node) != users.end();
  });
}

bool is_known_to_be_repeated(const Shape& mask, const Shape& scores) {
  if (mask.size() > scores.size()) return false;
  bool is_repeated = mask.size() < scores.size();
  for (std::size_t i = 1; i <= mask.size(); ++i) {
    const Dim& small = mask[mask.size() - i];
    const Dim& large = scores[scores.size() - i];
    if (same_dim(small, large)) continue;
    if (!is_one(small)) return false;
    is_repeated = true;
  }
  return is_repeated;
}

}  // namespace

Found any_gelu(const Rewriter& model) {
  Found found;
  for (Node* mul : model.nodes("Mul")) {
    const auto gelu = match_gelu(*mul);
    if (gelu && used_outside(gelu->nodes) == nullptr) found.push_back(mul);
  }
  return found;
}

Found gelu(const Rewriter& model) {
  Found found = any_gelu(model);
  std::erase_if(found, [](Node* mul) {
    const Gelu::Form form = match_gelu(*mul)->form;
    return form != Gelu::Form::input_halved && form != Gelu::Form::product_halved;
  });
  return found;
}

Found fast_gelu(const Rewriter& model) {
  Found found;
  for (const Node* tanh : model.nodes("Tanh")) {
    if (Node* end = end_of_fast_gelu(*tanh)) found.push_back(end);
  }
  return found;
}

Found quick_gelu(const Rewriter& model) {
  constexpr double quick = 1.702;
  Found found;
  for (const Node* sigmoid : model.nodes("Sigmoid")) {
    const Value* x = before_factor(sigmoid->input(0), quick);
    Node* mul = x != nullptr ? only_consumer(*sigmoid->output(0)) : nullptr;
    if (mul != nullptr && mul->is("Mul") && other_operand(*mul, *sigmoid->output(0)) == x) {
      found.push_back(mul);
    }
  }
  return found;
}

Found bias_gelu(const Rewriter& model) {
  Found found;
  for (Node* node : model.nodes()) {
    if (node->op_type == "Gelu" && node->output(0) != nullptr) {
      Node* const users[] = {node};
      if (is_biased(node->input(0), users)) found.push_back(node);
    } else if (const auto gelu = node->is("Mul") ? match_gelu(*node) : std::nullopt) {
      const bool can_go = used_outside(gelu->nodes) == nullptr;
      if (can_go && is_biased(gelu->input, gelu->nodes)) found.push_back(node);
    }
  }
  return found;
}

Found bias_softmax(const Rewriter& model) {
  Found found;
  for (Node* softmax : model.nodes("Softmax")) {
    const Node* add = producer_of(softmax->input(0), "Add");
    if (add == nullptr || only_consumer(*add->output(0)) != softmax) continue;
    const auto scores = known_shape(add->output(0));
    if (!scores || axis_of(softmax->int_or("axis", -1), scores->size()) != scores->size() - 1) {
      continue;
    }
    const bool has_mask = std::ranges::any_of(add->inputs(), [&](const Value* operand) {
      const auto mask = known_shape(operand);
      return mask && is_known_to_be_repeated(*mask, *scores);
    });
    if (has_mask) found.push_back(softmax);
  }
  return found;
}

}  // namespace hone::detect
