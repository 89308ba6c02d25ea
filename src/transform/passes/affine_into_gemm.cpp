//   Before:  x -> Mul(s) -> Add(t) -> Gemm(W, b)      (also Sub, Div, and MatMul; s, t: one number,
//            or one per row of W)
//   After:   x -> Gemm(W * s, b + t * W)
//   Declines when the weights are no constants of rank 2, when somebody else uses what lies
//   between, when x may be broadcast, when a MatMul has no bias to take the Add, behind a
//   normalization (which fuses whole with its scale), and when a weight would leave its type's
//   range.
#include <algorithm>

#include "transform/linear.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// x / sqrt(...): what LayerNormalization fusions look for together with the Mul and Add behind it.
bool is_normalization(const Value& value) {
  const Node* division = producer_of(&value, "Div");
  return division != nullptr && producer_of(division->input(1), "Sqrt") != nullptr;
}

// A MatMul without bias takes what is nearest to it, up to the first shift.
std::vector<AffineStep> steps_taken(const Linear& product) {
  auto steps = steps_before(*product.node->input(0), *product.node, product.in);
  const auto shift =
      std::ranges::find_if(steps, [](const AffineStep& step) { return step.affine.has_offset(); });
  if (!product.takes_bias()) steps.erase(shift, steps.end());
  return steps;
}

// x * (1 + erf(...)), which a GELU halves at its end.
bool is_gelu_doubled(const Value& value) {
  const Node* product = producer_of(&value, "Mul");
  if (product == nullptr) return false;
  return std::ranges::any_of(product->inputs(), [](const Value* factor) {
    const Node* sum = producer_of(factor, "Add");
    return sum != nullptr && std::ranges::any_of(sum->inputs(), [](const Value* term) {
             return producer_of(term, "Erf") != nullptr || producer_of(term, "Tanh") != nullptr;
           });
  });
}

void fold(Rewriter& rewriter, const Linear& product) {
  const std::vector<AffineStep> steps = steps_taken(product);
  if (steps.empty()) return;
  Value& x = *steps.back().input;
  if (is_normalization(x) || is_gelu_doubled(x)) {
    return rewriter.decline(*steps.back().node, "it belongs to the function before it");
  }
  if (!rewriter.has_opset(*product.node, "Broadcasting by shape", 7)) return;
  Affine all = Affine::identity(product.in.count);
  for (const AffineStep& step : steps) all = compose(step.affine, all);
  const Folded folded = fold_before(product, all);
  if (!folded.is_valid) return rewriter.decline(*product.node, out_of_range);
  apply(rewriter, product, folded);
  product.node->set_input(0, &x);
  rewriter.changed(*product.node);
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    if (node->is_removed() || !(node->is("Gemm") || node->is("MatMul"))) continue;
    // With transA the rows of W meet the first axis of x.
    if (node->int_or("transA", 0) != 0 || node->input(0) == nullptr) continue;
    if (const auto product = linear_of(*node)) fold(rewriter, *product);
  }
  return done();
}

}  // namespace

Pass affine_into_gemm() {
  return {.name = "affine-into-gemm",
          .summary = "Fold constant Mul and Add before a Gemm or MatMul into its weights",
          .category = "gemm",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
