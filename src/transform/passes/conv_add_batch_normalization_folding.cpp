//   Before:  Conv(W, b) -> Add(c) -> BatchNormalization -> y      (the constant on either side, and
//            sums of several Convs and constants)
//   After:   Conv(W * s, b * s + t) -> Add(c * s) -> y
//   Declines when the BatchNormalization is for training, when a summand is neither a Conv with
//   constant weights nor a constant, and when somebody else uses what lies between.
#include "transform/conv_batch_norm.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  fold_batch_normalization(rewriter, [](const Node&) { return true; });
  return done();
}

}  // namespace

Pass conv_add_batch_normalization_folding() {
  return {.name = "conv-add-batch-normalization-folding",
          .summary = "Fold a BatchNormalization behind Conv and Add into both",
          .category = "convolution",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
