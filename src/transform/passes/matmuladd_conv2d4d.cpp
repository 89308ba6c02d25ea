//   Before:  x[n, h, w, K] -> MatMul(W[K, N]) -> Add(c[N]) -> y
//   After:   x -> Transpose(NCHW) -> Conv 1 x 1 -> Transpose(NHWC) -> y
//   For NPUs, whose convolutions are faster. Declines when W is no constant of floats.
#include "transform/matmul_add.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  for (const MatMulAdd& layer : find_matmul_adds(rewriter, 4, 4)) {
    Value* weight = convolution_weight(rewriter, layer);
    if (weight == nullptr) continue;
    Value& channels_first = rewriter.add_transpose(*layer.add, *layer.input, {0, 3, 1, 2});
    Value& conv = add_convolution(rewriter, layer, channels_first, *weight);
    rewriter.replace(layer.result(), rewriter.add_transpose(*layer.add, conv, {0, 2, 3, 1}));
  }
  return done();
}

}  // namespace

Pass matmuladd_conv2d4d() {
  return {.name = "matmuladd-conv2d4d",
          .summary = "Write MatMul and Add of rank 4 as a 1 x 1 convolution",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone::passes
