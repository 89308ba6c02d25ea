//   Before:  x[a, b, K] -> MatMul(W[K, N]) -> Add(c[N]) -> y
//   After:   x -> Reshape[-1, K] -> Gemm(W, c) -> Reshape[a, b, N] -> y      (rank 2: Gemm alone)
//   Declines when two or more of the leading dimensions are open (one Reshape finds one of them).
#include <algorithm>

#include "transform/matmul_add.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// The result's shape for a Reshape: -1 where it is open; empty when that is so twice.
std::vector<std::int64_t> result_shape(const MatMulAdd& layer) {
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis + 1 < layer.shape.size(); ++axis) {
    shape.push_back(extent_of(layer.input, axis).value_or(-1));
  }
  shape.push_back(layer.features_out);
  return std::ranges::count(shape, -1) <= 1 ? shape : std::vector<std::int64_t>{};
}

void rewrite(Rewriter& rewriter, const MatMulAdd& layer) {
  const auto gemm_of = [&](Value& rows) -> Value& {
    return rewriter.add(*layer.add, {.op = "Gemm", .inputs = {&rows, layer.weight, layer.bias}});
  };
  if (layer.shape.size() == 2) return rewriter.replace(layer.result(), gemm_of(*layer.input));
  const std::vector<std::int64_t> shape = result_shape(layer);
  if (shape.empty()) {
    return rewriter.decline(*layer.matmul, "two or more dimensions of its input are open");
  }
  Value& rows = rewriter.add_reshape(*layer.add, *layer.input,
                                     std::vector<std::int64_t>{-1, layer.features_in});
  Value& product = gemm_of(rows);
  rewriter.replace(layer.result(), rewriter.add_reshape(*layer.add, product, shape));
}

Status run(Rewriter& rewriter) {
  constexpr std::size_t any_rank = 64;
  for (const MatMulAdd& layer : find_matmul_adds(rewriter, 2, any_rank)) rewrite(rewriter, layer);
  return done();
}

}  // namespace

Pass matmuladd_reshapegemm() {
  return {.name = "matmuladd-reshapegemm",
          .summary = "Write MatMul and Add as one Gemm between Reshapes",
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{.makes = "Gemm",
                                 .native_since = 1,
                                 .aim = Aim::accelerators,
                                 .find = detect::matmul_add_of_one_open_dim}};
}

}  // namespace hone::passes
