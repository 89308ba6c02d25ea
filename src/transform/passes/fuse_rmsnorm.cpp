//   Before:  x -> Pow(2) -> ReduceMean(-1) -> Add(epsilon) -> Sqrt -> Div(x, .) -> Mul(scale) -> y
//            (also Mul(x, x) in the place of Pow, and x * (1 / Sqrt) in the place of Div)
//   After:   x -> RMSNormalization(scale) -> y from opset 23 on, where it is ONNX's own; before,
//            SimplifiedLayerNormalization, which ONNX Runtime keeps in the default domain
//   Declines when the axis is not the last one, when scale is no vector of its size, and when a
//   value in between is needed elsewhere.
//
//   The epsilon stays: the same function but for rounding. LpNormalization has none, so a row near
//   zero would come out enlarged to length one, and a row of zeros as something else altogether.
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

void fuse(Rewriter& rewriter, const RmsNorm& norm) {
  const Node& end = *norm.nodes.back();
  const auto shape = known_shape(norm.input);
  if (!shape || shape->empty()) return rewriter.decline(end, "the shape of its input is not known");
  const auto last = static_cast<std::int64_t>(shape->size()) - 1;
  if (shape->empty() || axis_of(norm.axis, shape->size()) != shape->size() - 1) {
    return rewriter.decline(end, "it does not normalize along the last axis");
  }
  const auto size = shape->back().value;
  if (!size) return rewriter.decline(end, "the size of the axis it normalizes is not known");
  if (!can_replace(rewriter, norm.nodes)) return;
  if (!is_vector(norm.scale, {shape->size(), last, *size})) {
    return rewriter.decline(end, "its scale is no vector along the axis it normalizes");
  }
  Value* scale = &as_vector(rewriter, end, *norm.scale);
  Value& made = rewriter.add(
      end, {.op = rewriter.opset() < 23 ? "SimplifiedLayerNormalization" : "RMSNormalization",
            .inputs = {norm.input, scale},
            .attributes = attributes(make_attribute("axis", std::int64_t{-1}),
                                     make_attribute("epsilon", static_cast<float>(norm.epsilon))),
            .type = norm.input->type});
  rewriter.replace(*end.output(0), made);
}

Status run(Rewriter& rewriter) {
  for (Node* mul : rewriter.nodes("Mul")) {
    const auto norm = mul->is_removed() ? std::nullopt : match_rms_norm(*mul);
    if (norm) fuse(rewriter, *norm);
  }
  return done();
}

}  // namespace

Pass fuse_rmsnorm() {
  return {.name = "fuse-rmsnorm",
          .summary = "Make one normalization by the root mean square of its parts",
          .category = "layer-norm",
          .numerics = Numerics::close,
          .run = run,
          .detection = Detection{.makes = "RMSNormalization",
                                 .native_since = 23,
                                 .aim = Aim::accelerators,
                                 .find = detect::rms_norm}};
}

}  // namespace hone::passes
