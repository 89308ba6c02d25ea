//   Before:  HardSwish(x) -> y
//   After:   x * HardSigmoid(x) <alpha = 1/6, beta = 0.5> -> y, which is what ONNX says it is
//   Declines nothing.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return node.is("HardSwish"); }

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    Parts parts(rewriter, *whole);
    Value& x = *whole->input(0);
    Value& gate =
        parts.op("HardSigmoid", {&x},
                 attributes(make_attribute("alpha", 1.0F / 6), make_attribute("beta", 0.5F)));
    parts.become(parts.product(x, gate));
  }
  return done();
}

}  // namespace

Pass unfuse_hard_swish() {
  return unfusing("unfuse-hard-swish", "Write HardSwish as HardSigmoid and Mul", run);
}

}  // namespace hone::passes
