//   Before:  TensorFlow's way, with g = scale * Reciprocal(Sqrt(variance + epsilon)):
//            Add(x * g, bias - mean * g) -> y, where the variance is ReduceMean of (x - mean)
//            squared
//   After:   x -> LayerNormalization(scale, bias) -> y
//   Declines as layernormalization-singlelayernorm does. ONNX Runtime's own fusion does not know
//   this form.
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

Status run(Rewriter& rewriter) {
  for (Node* add : rewriter.nodes("Add")) {
    const auto norm = add->is_removed() ? std::nullopt : match_tf_layer_norm(*add);
    if (norm) fuse_layer_norm(rewriter, *norm);
  }
  return done();
}

}  // namespace

Pass tf_layer_norm_fusion() {
  return {.name = "tf-layer-norm-fusion",
          .summary = "Make one LayerNormalization of what TensorFlow exports for it",
          .category = "layer-norm",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{.makes = "LayerNormalization", .native_since = 1}};
}

}  // namespace hone::passes
