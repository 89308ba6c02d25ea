//   Before:  x[n, s, K] -> MatMul(W[K, N]) -> Add(c[N]) -> y
//   After:   x -> Transpose -> Unsqueeze -> Conv 1 x 1 -> Squeeze -> Transpose -> y
//   For NPUs, whose convolutions are faster. Declines when W is no constant of floats.
#include "transform/matmul_add.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  const std::vector<std::int64_t> last{3};
  for (const MatMulAdd& layer : find_matmul_adds(rewriter, 3, 3)) {
    Value* weight = convolution_weight(rewriter, layer);
    if (weight == nullptr) continue;
    Value& channels_first = rewriter.add_transpose(*layer.add, *layer.input, {0, 2, 1});
    Value& image = rewriter.add_with_axes(*layer.add, "Unsqueeze", channels_first, last);
    Value& conv = add_convolution(rewriter, layer, image, *weight);
    Value& row = rewriter.add_with_axes(*layer.add, "Squeeze", conv, last);
    rewriter.replace(layer.result(), rewriter.add_transpose(*layer.add, row, {0, 2, 1}));
  }
  return done();
}

}  // namespace

Pass matmuladd_conv2d3d() {
  return {.name = "matmuladd-conv2d3d",
          .summary = "Write MatMul and Add of rank 3 as a 1 x 1 convolution",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone::passes
