//   Before:  RMSNormalization(x, scale), or SimplifiedLayerNormalization, <axis, epsilon> -> y
//   After:   x * x -> ReduceMean, Add(epsilon), Sqrt -> Div(x, .) -> Mul(scale) -> y
//   Declines when its deviation is needed, when it is not known which axes it is along, and for
//   16-bit floats, whose squares overflow.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) {
  const bool is_norm = node.is("RMSNormalization") || node.is("SimplifiedLayerNormalization") ||
                       is_microsoft(node, "SimplifiedLayerNormalization");
  return is_norm && node.input(1) != nullptr;
}

void unfuse(Rewriter& rewriter, Node& whole) {
  if (whole.output(1) != nullptr && whole.output(1)->is_used())
    return rewriter.decline(whole, "its deviation is needed");
  if (const std::string why = no_squares(whole); !why.empty()) return rewriter.decline(whole, why);
  const Attribute::Ints axes = normalized_axes(whole);
  if (axes.empty()) return rewriter.decline(whole, "how many axes it is along is not known");
  Parts parts(rewriter, whole);
  Value& x = *whole.input(0);
  const auto epsilon = static_cast<double>(whole.float_or("epsilon", 1e-5F));
  Value& square = parts.mean(parts.product(x, x), axes);
  Value& root = parts.root_of_sum(square, epsilon);
  parts.become(parts.product(parts.op("Div", {&x, &root}), *whole.input(1)));
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) unfuse(rewriter, *whole);
  return done();
}

}  // namespace

Pass unfuse_rms_norm() {
  return unfusing("unfuse-rms-norm", "Write a norm by the root mean square in its parts", run);
}

}  // namespace hone::passes
