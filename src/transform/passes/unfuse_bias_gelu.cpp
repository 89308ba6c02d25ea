//   Before:  com.microsoft.BiasGelu(x, b) -> y
//   After:   Add(x, b) -> Gelu -> y: ONNX's own from opset 20 on, before that com.microsoft's
//   Declines nothing.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) {
  return is_microsoft(node, "BiasGelu") && node.input(1) != nullptr;
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    Parts parts(rewriter, *whole);
    Value& biased = parts.sum(*whole->input(0), *whole->input(1));
    const bool is_native = rewriter.opset() >= 20;
    Value& made = rewriter.add(*whole, {.op = "Gelu",
                                        .inputs = {&biased},
                                        .domain = is_native ? "" : microsoft,
                                        .type = biased.type});
    parts.become(made);
  }
  return done();
}

}  // namespace

Pass unfuse_bias_gelu() {
  return unfusing("unfuse-bias-gelu", "Write BiasGelu as Add and Gelu", run);
}

}  // namespace hone::passes
