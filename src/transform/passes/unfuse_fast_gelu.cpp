//   Before:  com.microsoft.FastGelu(x, b) -> y
//   After:   Add(x, b) = t, t * (0.5 + 0.5 * Tanh(t * (0.0357 * t * t + 0.798))) -> y
//   Declines when the type of its numbers is not known.
#include "transform/unfuse.h"
#include "transform/unfuse_gelu.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "FastGelu"); }

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    if (const std::string why = no_numbers(*whole); !why.empty()) {
      rewriter.decline(*whole, why);
      continue;
    }
    Parts parts(rewriter, *whole);
    Value* x = whole->input(0);
    if (whole->input(1) != nullptr) x = &parts.sum(*x, *whole->input(1));
    parts.become(gelu_by_tanh(parts, *x));
  }
  return done();
}

}  // namespace

Pass unfuse_fast_gelu() {
  return unfusing("unfuse-fast-gelu", "Write FastGelu as Tanh, Add and Mul", run);
}

}  // namespace hone::passes
