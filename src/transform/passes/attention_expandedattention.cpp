//   Before:  Attention(Q, K, V, mask) -> y              opset 23, four axes each
//   After:   Q * r @ transpose(K) * r + mask -> Softmax -> @ V -> y      r = sqrt(scale)
//   A Transpose(0, 2, 1, 3) before K becomes one with the Transpose we need.
//   For devices that have no Attention. Declines causal masks, masks of booleans, past keys, more
//   outputs, softcap, other precisions of the Softmax, grouped heads, and ranks other than 4.
#include <cmath>

#include "transform/pass.h"

namespace hone::passes {
namespace {

// What stands in the way, or nothing.
std::string obstacle(const Node& attention) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (rank_of(attention.input(i)) != 4) return "Q, K and V are not known to have four axes";
  }
  for (std::size_t i = 4; i < attention.inputs().size(); ++i) {
    if (attention.input(i) != nullptr) return "it has past keys and values";
  }
  for (std::size_t i = 1; i < attention.outputs().size(); ++i) {
    if (attention.output(i) != nullptr) return "it has more than one output";
  }
  const auto query_heads = extent_of(attention.input(0), 1);
  if (!query_heads || query_heads != extent_of(attention.input(1), 1)) {
    return "the heads of Q and K are not known to be as many";
  }
  if (attention.int_or("is_causal", 0) != 0) return "it is causal";
  if (attention.float_or("softcap", 0) != 0) return "it has a softcap";
  const std::int64_t precision = attention.int_or("softmax_precision", 0);
  const ElementType type = attention.input(0)->type.element;
  if (precision != 0 && static_cast<ElementType>(precision) != type) {
    return "its Softmax has a precision of its own";
  }
  const Value* mask = attention.input(3);
  if (mask != nullptr && mask->type.element != type) return "its mask is not of the type of Q";
  return {};
}

// The factor on each side, so that the product is scaled as a whole without leaving the range of
// 16-bit floats on the way.
std::optional<double> root_of_scale(const Node& attention) {
  double scale = attention.float_or("scale", 0);
  const auto features = extent_of(attention.input(0), 3);
  if (scale == 0 && features && *features > 0)
    scale = 1 / std::sqrt(static_cast<double>(*features));
  return scale > 0 ? std::optional(std::sqrt(scale)) : std::nullopt;
}

// K with its last two axes exchanged.
Value& transposed_keys(Rewriter& rewriter, const Node& attention) {
  Value& keys = *attention.input(1);
  const Node* before = producer_of(&keys, "Transpose");
  const bool can_merge = before != nullptr && before->input(0) != nullptr &&
                         only_consumer(keys) == &attention &&
                         perm_of(*before, 4) == std::vector<std::int64_t>{0, 2, 1, 3};
  if (can_merge) return rewriter.add_transpose(attention, *before->input(0), {0, 2, 3, 1});
  return rewriter.add_transpose(attention, keys, {0, 1, 3, 2});
}

void expand(Rewriter& rewriter, Node& attention) {
  const std::string problem = obstacle(attention);
  if (!problem.empty()) return rewriter.decline(attention, problem);
  const auto root = root_of_scale(attention);
  if (!root) return rewriter.decline(attention, "its scale is not known to be positive");
  const TensorPtr tensor = encode(attention.output(0)->name() + "_scale",
                                  attention.input(0)->type.element, {1}, {*root});
  if (!tensor) return rewriter.decline(attention, "its scale leaves the range of its type");
  Value& factor = rewriter.add_constant(attention, tensor);
  const auto add = [&](const char* op, Value& a, Value& b) -> Value& {
    return rewriter.add(attention, {.op = op, .inputs = {&a, &b}});
  };
  Value& keys = add("Mul", transposed_keys(rewriter, attention), factor);
  Value& queries = add("Mul", *attention.input(0), factor);
  Value* scores = &add("MatMul", queries, keys);
  if (Value* mask = attention.input(3)) scores = &add("Add", *scores, *mask);
  NewNode softmax{.op = "Softmax", .inputs = {scores}};
  softmax.attributes.push_back(make_attribute("axis", std::int64_t{-1}));
  Value& weights = rewriter.add(attention, std::move(softmax));
  rewriter.replace(*attention.output(0), add("MatMul", weights, *attention.input(2)));
}

Status run(Rewriter& rewriter) {
  for (Node* attention : rewriter.nodes("Attention")) {
    if (!attention->is_removed()) expand(rewriter, *attention);
  }
  return done();
}

}  // namespace

Pass attention_expandedattention() {
  return {.name = "attention-expandedattention",
          .summary = "Write Attention as MatMul, Softmax and MatMul",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone::passes
