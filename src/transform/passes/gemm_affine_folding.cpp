//   Before:  Gemm(x, W, b) -> Mul(s) -> Add(t) -> y      (also MatMul with or without an Add of its
//            bias, Sub and Div; s, t: one number, or one per column)
//   After:   Gemm(x, W * s, b * s + t) -> y
//   Declines when the weights are no constants of rank 2, when somebody else uses what lies
//   between, and when a weight would leave its type's range. A MatMul without bias takes no Add.
#include <ranges>

#include "transform/linear.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// The constants behind the product that it can take, in order.
std::vector<AffineStep> steps_behind(const Linear& linear) {
  std::vector<AffineStep> steps;
  const Value* value = &linear.result();
  while (Node* node = only_consumer(*value)) {
    auto step = affine_step(*node, linear.out);
    if (!step || (step->affine.has_offset() && !linear.takes_bias())) break;
    value = node->output(0);
    steps.push_back(std::move(*step));
  }
  return steps;
}

void fold(Rewriter& rewriter, const Linear& linear) {
  const std::vector<AffineStep> steps = steps_behind(linear);
  if (steps.empty()) return;
  if (!rewriter.has_opset(*linear.node, "Broadcasting by shape", 7)) return;
  Affine all = Affine::identity(linear.out.count);
  for (const AffineStep& step : steps) all = compose(all, step.affine);
  const Folded folded = fold_after(linear, all);
  if (!folded.is_valid) return rewriter.decline(*linear.node, out_of_range);
  apply(rewriter, linear, folded);
  // The last one first: what it hands on goes itself.
  for (const AffineStep& step : steps | std::views::reverse) {
    rewriter.replace(*step.node->output(0), *step.input);
  }
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    if (node->is_removed() || !(node->is("Gemm") || node->is("MatMul"))) continue;
    if (const auto linear = linear_of(*node)) fold(rewriter, *linear);
  }
  return done();
}

}  // namespace

Pass gemm_affine_folding() {
  return {.name = "gemm-affine-folding",
          .summary = "Fold constant Mul and Add behind a Gemm or MatMul into its weights",
          .category = "gemm",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
