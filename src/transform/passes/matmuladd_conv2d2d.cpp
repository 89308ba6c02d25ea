//   Before:  x[n, K] -> MatMul(W[K, N]) -> Add(c[N]) -> y
//   After:   x -> Reshape[0, K, 1, 1] -> Conv 1 x 1 -> Reshape[0, N] -> y
//   For NPUs, whose convolutions are faster. Declines when W is no constant of floats.
#include "transform/matmul_add.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  using Dims = std::vector<std::int64_t>;
  for (const MatMulAdd& layer : find_matmul_adds(rewriter, 2, 2)) {
    Value* weight = convolution_weight(rewriter, layer);
    if (weight == nullptr) continue;
    Value& image = rewriter.add_reshape(*layer.add, *layer.input, Dims{0, layer.features_in, 1, 1});
    Value& conv = add_convolution(rewriter, layer, image, *weight);
    rewriter.replace(layer.result(),
                     rewriter.add_reshape(*layer.add, conv, Dims{0, layer.features_out}));
  }
  return done();
}

}  // namespace

Pass matmuladd_conv2d2d() {
  return {.name = "matmuladd-conv2d2d",
          .summary = "Write MatMul and Add of rank 2 as a 1 x 1 convolution",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace hone::passes
