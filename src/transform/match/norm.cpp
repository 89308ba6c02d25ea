#include "transform/match/norm.h"

#include <algorithm>

#include "transform/patterns.h"

namespace hone {
namespace {

void append(Motif& nodes, std::initializer_list<Node*> more) {
  for (Node* node : more) {
    if (std::ranges::count(nodes, node) == 0) nodes.push_back(node);
  }
}

struct Mean {
  Value* of = nullptr;
  std::int64_t axis = -1;
  Node* node = nullptr;
};

std::optional<Mean> match_mean(const Value* value) {
  Node* reduce = producer_of(value, "ReduceMean");
  const auto axes = reduce != nullptr ? kept_axes(*reduce) : std::nullopt;
  if (!axes || axes->size() != 1) return std::nullopt;
  return Mean{reduce->input(0), axes->front(), reduce};
}

// -1 is 2 of three.
bool same_axis(std::int64_t one, std::int64_t other, const Value* value) {
  const auto rank = rank_of(value);
  return rank ? axis_of(one, *rank) == axis_of(other, *rank) : one == other;
}

// mean(base * base) + epsilon
struct Spread {
  Value* base = nullptr;
  std::int64_t axis = -1;
  double epsilon = 0;
  bool is_pow = false;
  Motif nodes;
};

std::optional<Spread> match_spread(const Value* value) {
  Node* add = producer_of(value, "Add");
  const auto operands = add != nullptr ? constant_operand(*add) : std::nullopt;
  const auto mean = operands ? match_mean(operands->variable) : std::nullopt;
  const auto square = mean ? match_square(mean->of) : std::nullopt;
  if (!square) return std::nullopt;
  const auto epsilon = number_beside(operands->constant, operands->variable);
  if (!epsilon || *epsilon < 0) return std::nullopt;
  return Spread{
      square->base, mean->axis, *epsilon, square->is_pow, {square->node, mean->node, add}};
}

// x - mean(x)
struct Centred {
  Value* of = nullptr;
  Mean mean;
  Node* sub = nullptr;
};

std::optional<Centred> match_centred(const Value* value) {
  Node* sub = producer_of(value, "Sub");
  const auto mean = sub != nullptr ? match_mean(sub->input(1)) : std::nullopt;
  if (!mean || mean->of != sub->input(0)) return std::nullopt;
  return Centred{mean->of, *mean, sub};
}

// The spread of x around its mean.
struct Variance {
  Spread spread;
  Centred centred;
};

std::optional<Variance> match_variance(const Value* value) {
  auto spread = match_spread(value);
  const auto centred = spread ? match_centred(spread->base) : std::nullopt;
  if (!centred || !same_axis(centred->mean.axis, spread->axis, centred->of)) return std::nullopt;
  append(spread->nodes, {centred->sub, centred->mean.node});
  return Variance{std::move(*spread), *centred};
}

LayerNorm from(Variance variance, Value* scale, Value* bias) {
  return {.input = variance.centred.of,
          .scale = scale,
          .bias = bias,
          .axis = variance.spread.axis,
          .epsilon = variance.spread.epsilon,
          .squares_by_pow = variance.spread.is_pow,
          .nodes = std::move(variance.spread.nodes)};
}

// What is inside of 1 / sqrt(...), however that is written.
struct InverseRoot {
  Value* inside = nullptr;
  Motif nodes;
};

std::optional<InverseRoot> match_inverse_root(const Value* value) {
  Node* node = value != nullptr ? value->producer() : nullptr;
  if (node == nullptr) return std::nullopt;
  if (node->is("Pow") && number_beside(node->input(1), node->input(0)) == -0.5) {
    return InverseRoot{node->input(0), {node}};
  }
  const bool is_inverse = node->is("Reciprocal") ||
                          (node->is("Div") && number_beside(node->input(0), node->input(1)) == 1);
  Node* root = is_inverse ? producer_of(node->inputs().back(), "Sqrt") : nullptr;
  if (root == nullptr) return std::nullopt;
  return InverseRoot{root->input(0), {root, node}};
}

// (x - mean) / sqrt(variance), times the scale.
std::optional<LayerNorm> match_scaled_norm(Node& mul) {
  for (const auto [normal, scale] : both_orders(mul)) {
    Node* div = producer_of(normal, "Div");
    Node* root = div != nullptr ? producer_of(div->input(1), "Sqrt") : nullptr;
    auto variance = root != nullptr ? match_variance(root->input(0)) : std::nullopt;
    // Older exporters write the Sub twice.
    const auto centred = variance ? match_centred(div->input(0)) : std::nullopt;
    if (!centred || centred->of != variance->centred.of) continue;
    if (!same_axis(centred->mean.axis, variance->spread.axis, centred->of)) continue;
    LayerNorm norm = from(std::move(*variance), scale, nullptr);
    append(norm.nodes, {centred->sub, centred->mean.node, root, div, &mul});
    return norm;
  }
  return std::nullopt;
}

// x * g, and mean * g inside of bias - mean * g.
std::optional<LayerNorm> match_tf_parts(Node& scaled, Node& shift) {
  Node* shifted = producer_of(shift.input(1), "Mul");
  if (shifted == nullptr) return std::nullopt;
  for (const auto [x, gain] : both_orders(scaled)) {
    Node* product = producer_of(gain, "Mul");
    const Value* mean = shifted->input(1) == gain ? shifted->input(0) : shifted->input(1);
    if (product == nullptr || std::ranges::count(shifted->inputs(), gain) != 1) continue;
    for (const auto [inverse, scale] : both_orders(*product)) {
      const auto root = match_inverse_root(inverse);
      auto variance = root ? match_variance(root->inside) : std::nullopt;
      const auto outer_mean = variance ? match_mean(mean) : std::nullopt;
      if (!outer_mean || outer_mean->of != x || variance->centred.of != x) continue;
      if (!same_axis(outer_mean->axis, variance->spread.axis, x)) continue;
      LayerNorm norm = from(std::move(*variance), scale, shift.input(0));
      for (Node* node : root->nodes) append(norm.nodes, {node});
      append(norm.nodes, {outer_mean->node, product, &scaled, shifted, &shift});
      return norm;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LayerNorm> match_layer_norm(Node& end) {
  if (!end.is("Add")) return std::nullopt;
  for (const auto [scaled, bias] : both_orders(end)) {
    Node* mul = producer_of(scaled, "Mul");
    auto norm = mul != nullptr ? match_scaled_norm(*mul) : std::nullopt;
    if (!norm) continue;
    norm->bias = bias;
    norm->nodes.push_back(&end);
    return norm;
  }
  return std::nullopt;
}

std::optional<LayerNorm> match_tf_layer_norm(Node& end) {
  if (!end.is("Add")) return std::nullopt;
  for (const auto [scaled_value, shift_value] : both_orders(end)) {
    Node* scaled = producer_of(scaled_value, "Mul");
    Node* shift = producer_of(shift_value, "Sub");
    if (scaled == nullptr || shift == nullptr) continue;
    auto norm = match_tf_parts(*scaled, *shift);
    if (!norm) continue;
    norm->nodes.push_back(&end);
    return norm;
  }
  return std::nullopt;
}

namespace {

// x / sqrt(spread of x), or x * (1 / sqrt(spread of x)).
std::optional<RmsNorm> match_root_mean_square(const Value* normal) {
  Node* node = normal != nullptr ? normal->producer() : nullptr;
  if (node == nullptr || (!node->is("Div") && !node->is("Mul"))) return std::nullopt;
  for (const auto [x, divisor] : both_orders(*node)) {
    std::optional<InverseRoot> root;
    if (node->is("Mul")) {
      root = match_inverse_root(divisor);
    } else if (Node* sqrt = producer_of(node->input(1), "Sqrt")) {
      root = InverseRoot{sqrt->input(0), {sqrt}};
    }
    auto spread = root ? match_spread(root->inside) : std::nullopt;
    if (!spread || spread->base != x) continue;
    RmsNorm norm{.input = x,
                 .axis = spread->axis,
                 .epsilon = spread->epsilon,
                 .nodes = std::move(spread->nodes)};
    for (Node* inner : root->nodes) append(norm.nodes, {inner});
    append(norm.nodes, {node});
    return norm;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RmsNorm> match_rms_norm(Node& end) {
  if (!end.is("Mul")) return std::nullopt;
  for (const auto [normal, scale] : both_orders(end)) {
    auto norm = match_root_mean_square(normal);
    if (!norm) continue;
    norm->scale = scale;
    norm->nodes.push_back(&end);
    return norm;
  }
  return std::nullopt;
}

}  // namespace hone
