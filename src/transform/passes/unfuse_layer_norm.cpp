//   Before:  LayerNormalization(x, scale, shift) <axis, epsilon> -> y
//   After:   x -> ReduceMean, Sub = d -> d * d -> ReduceMean, Add(epsilon), Sqrt -> Div(d, .)
//            -> Mul(scale) -> Add(shift) -> y
//   Declines when its mean or its deviation is needed, when it is not known which axes it is along,
//   and for 16-bit floats, whose squares overflow.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) {
  return node.is("LayerNormalization") && node.input(1) != nullptr;
}

void unfuse(Rewriter& rewriter, Node& whole) {
  for (std::size_t i = 1; i < whole.outputs().size(); ++i) {
    if (whole.output(i) != nullptr && whole.output(i)->is_used())
      return rewriter.decline(whole, "its mean or its deviation is needed");
  }
  if (const std::string why = no_squares(whole); !why.empty()) return rewriter.decline(whole, why);
  const Attribute::Ints axes = normalized_axes(whole);
  if (axes.empty()) return rewriter.decline(whole, "how many axes it is along is not known");
  Parts parts(rewriter, whole);
  Value& x = *whole.input(0);
  Value& centred = parts.op("Sub", {&x, &parts.mean(x, axes)});
  Value& variance = parts.mean(parts.product(centred, centred), axes);
  const auto epsilon = static_cast<double>(whole.float_or("epsilon", 1e-5F));
  Value& deviation = parts.root_of_sum(variance, epsilon);
  Value* made = &parts.product(parts.op("Div", {&centred, &deviation}), *whole.input(1));
  if (whole.input(2) != nullptr) made = &parts.sum(*made, *whole.input(2));
  parts.become(*made);
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) unfuse(rewriter, *whole);
  return done();
}

}  // namespace

Pass unfuse_layer_norm() {
  return unfusing("unfuse-layer-norm", "Write LayerNormalization in its parts", run);
}

}  // namespace hone::passes
