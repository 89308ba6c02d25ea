//   Before:  x -> ReduceMean -> Sub(x, .) = c;  c -> Pow(2) -> ReduceMean -> Add(epsilon) -> Sqrt
//            -> Div(c, .) -> Mul(scale) -> Add(bias) -> y       (layernormpow; Mul(c, c):
//            layernormmul)
//   After:   x -> LayerNormalization(scale, bias) -> y, between two Transposes when the axis is not
//            the last one, since LayerNormalization takes all axes from one on
//   Declines below opset 17, when a value in between is needed elsewhere, when several axes are
//   normalized at once, and when scale or bias do not lie along the axis.
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

template <bool squares_by_pow>
Status run(Rewriter& rewriter) {
  for (Node* add : rewriter.nodes("Add")) {
    const auto norm = add->is_removed() ? std::nullopt : match_layer_norm(*add);
    if (norm && norm->squares_by_pow == squares_by_pow) fuse_layer_norm(rewriter, *norm);
  }
  return done();
}

}  // namespace

Pass layernormpow_singlelayernorm() {
  return {.name = "layernormpow-singlelayernorm",
          .summary = "Make one LayerNormalization of nine nodes that square by Pow",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run<true>};
}

Pass layernormmul_singlelayernorm() {
  return {.name = "layernormmul-singlelayernorm",
          .summary = "Make one LayerNormalization of nine nodes that square by Mul",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run<false>};
}

Pass layernormalization_singlelayernorm() {
  return {.name = "layernormalization-singlelayernorm",
          .summary = "Make one LayerNormalization of its nine nodes, along any axis",
          .category = "rewrite",
          .numerics = Numerics::close,
          .depends_on = {"layernormpow-singlelayernorm", "layernormmul-singlelayernorm"}};
}

}  // namespace hone::passes
