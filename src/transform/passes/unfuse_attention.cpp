//   Before:  com.microsoft.MultiHeadAttention(q, k, v, , , bias) <num_heads, scale> -> y
//            of [batch, length, heads * size]
//   After:   q, k, v -> Reshape, Transpose; Softmax(q @ k * scale + bias) @ v -> Transpose,
//            Reshape -> y
//   Declines packed operands, a bias of the projections, masks of keys, past keys and values,
//   causal masks, more outputs, and sizes of heads that are open.
#include <cmath>

#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "MultiHeadAttention"); }

// What stands in the way, or nothing.
std::string obstacle(const Node& whole) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (rank_of(whole.input(i)) != 3) return "its operands are not known to have three axes each";
  }
  if (whole.input(3) != nullptr) return "it adds a bias to its operands";
  if (whole.input(4) != nullptr) return "it has a mask of keys";
  for (std::size_t i = 6; i < whole.inputs().size(); ++i) {
    if (whole.input(i) != nullptr) return "it has past keys and values";
  }
  for (std::size_t i = 1; i < whole.outputs().size(); ++i) {
    if (whole.output(i) != nullptr) return "it has more than one output";
  }
  if (whole.int_or("unidirectional", 0) != 0) return "it is causal";
  const std::int64_t heads = whole.int_or("num_heads", 0);
  const auto fits = [&](std::size_t index) {
    const auto features = extent_of(whole.input(index), 2);
    return heads > 0 && features && *features > 0 && *features % heads == 0;
  };
  if (!fits(0) || !fits(1) || !fits(2)) return "the size of its heads is not known";
  return no_numbers(whole);
}

class Expansion {
 public:
  Expansion(Rewriter& rewriter, Node& whole)
      : rewriter_(rewriter),
        whole_(whole),
        parts_(rewriter, whole),
        heads_(whole.int_or("num_heads", 0)) {}

  void write() {
    const auto size = static_cast<double>(*extent_of(whole_.input(0), 2) / heads_);
    double scale = static_cast<double>(whole_.float_or("scale", 0));
    if (scale == 0) scale = 1 / std::sqrt(size);
    Value& queries = in_heads(0, {0, 2, 1, 3});
    Value& keys = in_heads(1, {0, 2, 3, 1});
    Value* scores = &loose("Mul", {&loose("MatMul", {&queries, &keys}), &parts_.constant(scale)});
    if (whole_.input(5) != nullptr) scores = &loose("Add", {scores, whole_.input(5)});
    Value& weights =
        loose("Softmax", {scores}, attributes(make_attribute("axis", std::int64_t{-1})));
    Value& mixed = loose("MatMul", {&weights, &in_heads(2, {0, 2, 1, 3})});
    const std::int64_t features = *extent_of(whole_.input(2), 2);
    parts_.become(rewriter_.add_reshape(
        whole_, rewriter_.add_transpose(whole_, mixed, {0, 2, 1, 3}, parts_.any_shape()),
        Attribute::Ints{0, 0, features}, whole_.output(0)->type));
  }

 private:
  Value& loose(std::string op, std::vector<Value*> inputs, std::vector<Attribute> with = {}) {
    return rewriter_.add(whole_, {.op = std::move(op),
                                  .inputs = std::move(inputs),
                                  .attributes = std::move(with),
                                  .type = parts_.any_shape()});
  }

  Value& in_heads(std::size_t index, std::vector<std::int64_t> perm) {
    const std::int64_t size = *extent_of(whole_.input(index), 2) / heads_;
    Value& apart = rewriter_.add_reshape(whole_, *whole_.input(index),
                                         Attribute::Ints{0, 0, heads_, size}, parts_.any_shape());
    return rewriter_.add_transpose(whole_, apart, std::move(perm), parts_.any_shape());
  }

  Rewriter& rewriter_;
  Node& whole_;
  Parts parts_;
  std::int64_t heads_;
};

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    if (const std::string why = obstacle(*whole); !why.empty()) {
      rewriter.decline(*whole, why);
      continue;
    }
    Expansion(rewriter, *whole).write();
  }
  return done();
}

}  // namespace

Pass unfuse_attention() {
  return unfusing("unfuse-attention", "Write MultiHeadAttention as MatMul, Softmax and MatMul",
                  run);
}

}  // namespace hone::passes
