//   Before:  com.microsoft.QuickGelu(x) <alpha> -> y
//   After:   x * Sigmoid(x * alpha) -> y
//   Declines when the type of its numbers is not known.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "QuickGelu"); }

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    if (const std::string why = no_numbers(*whole); !why.empty()) {
      rewriter.decline(*whole, why);
      continue;
    }
    Parts parts(rewriter, *whole);
    Value& x = *whole->input(0);
    const auto alpha = static_cast<double>(whole->float_or("alpha", 1.702F));
    Value& gate = parts.op("Sigmoid", {alpha == 1 ? &x : &parts.product(x, alpha)});
    parts.become(parts.product(x, gate));
  }
  return done();
}

}  // namespace

Pass unfuse_quick_gelu() {
  return unfusing("unfuse-quick-gelu", "Write QuickGelu as Sigmoid and Mul", run);
}

}  // namespace hone::passes
