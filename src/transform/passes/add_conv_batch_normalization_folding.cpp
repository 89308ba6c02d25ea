//   Before:  Add(c, Conv(W, b)) -> BatchNormalization -> y      (the constant first)
//   After:   Add(c * s, Conv(W * s, b * s + t)) -> y
//   Declines like conv-add-batch-normalization-folding, of which it is the part for graphs that
//   write the constant first.
#include "transform/conv_batch_norm.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  fold_batch_normalization(rewriter, [](const Node& add) {
    return add.input(0) != nullptr && add.input(0)->constant() &&
           producer_of(add.input(1), "Conv") != nullptr;
  });
  return done();
}

}  // namespace

Pass add_conv_batch_normalization_folding() {
  return {.name = "add-conv-batch-normalization-folding",
          .summary = "Fold a BatchNormalization behind a constant plus Conv into both",
          .category = "convolution",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{}};
}

}  // namespace hone::passes
