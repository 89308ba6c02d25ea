//   Before:  Gelu(x) -> y, ONNX's own or com.microsoft's
//   After:   (x * 0.5) * (1 + Erf(x * sqrt 0.5)) -> y
//            x * (0.5 + 0.5 * Tanh(x * (0.0357 * x * x + 0.798))) where it is <approximate =
//            "tanh">
//   Declines when the type of its numbers is not known.
#include <cmath>
#include <numbers>

#include "transform/unfuse.h"
#include "transform/unfuse_gelu.h"

namespace hone {

Value& gelu_by_tanh(Parts& parts, Value& x) {
  const double slope = std::sqrt(2 / std::numbers::pi);
  constexpr double cubic = 0.044715;
  Value& square = parts.product(x, x);
  Value& inner = parts.sum(parts.product(square, slope * cubic), slope);
  Value& tanh = parts.op("Tanh", {&parts.product(x, inner)});
  return parts.product(x, parts.sum(parts.product(tanh, 0.5), 0.5));
}

namespace passes {
namespace {

bool is_whole(const Node& node) { return node.is("Gelu") || is_microsoft(node, "Gelu"); }

Value& gelu_by_erf(Parts& parts, Value& x) {
  Value& erf = parts.op("Erf", {&parts.product(x, std::sqrt(0.5))});
  return parts.product(parts.product(x, 0.5), parts.sum(erf, 1));
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) {
    if (const std::string why = no_numbers(*whole); !why.empty()) {
      rewriter.decline(*whole, why);
      continue;
    }
    Parts parts(rewriter, *whole);
    const bool is_approximate = whole->string_or("approximate", "none") == "tanh";
    Value& x = *whole->input(0);
    parts.become(is_approximate ? gelu_by_tanh(parts, x) : gelu_by_erf(parts, x));
  }
  return done();
}

}  // namespace

Pass unfuse_gelu() { return unfusing("unfuse-gelu", "Write Gelu as Erf, Add and Mul", run); }

}  // namespace passes
}  // namespace hone
