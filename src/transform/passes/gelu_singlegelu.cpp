//   Before:  x -> Div(sqrt 2) -> Erf -> Add(1) = g, then
//            gelu1: (x * 0.5) * g     gelu2: (x * g) * 0.5     gelu3: x * (g * 0.5)
//            gelu4: any of these with Mul(1 / sqrt 2) in the place of Div
//   After:   x -> Gelu: ONNX's own from opset 20 on, which every EP may know; before, the one of
//            com.microsoft, which ONNX Runtime has had from the start
//   Declines when a value in between is needed elsewhere: it would be computed twice.
#include "transform/match/gelu.h"
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

void fuse(Rewriter& rewriter, const Gelu& gelu) {
  const Node& end = *gelu.nodes.back();
  NewNode node{.op = "Gelu", .inputs = {gelu.input}, .type = gelu.input->type};
  if (rewriter.opset() < 20) {
    node.domain = microsoft;
    rewriter.need_domain(microsoft);
  }
  rewriter.replace(*end.output(0), rewriter.add(end, std::move(node)));
}

template <Gelu::Form form>
Status run(Rewriter& rewriter) {
  for (Node* mul : rewriter.nodes("Mul")) {
    const auto gelu = mul->is_removed() ? std::nullopt : match_gelu(*mul);
    if (gelu && gelu->form == form && can_replace(rewriter, gelu->nodes)) fuse(rewriter, *gelu);
  }
  return done();
}

Pass pass(std::string_view name, std::string_view summary, Status (*run)(Rewriter&)) {
  return {.name = name,
          .summary = summary,
          .category = "rewrite",
          .numerics = Numerics::close,
          .run = run};
}

}  // namespace

Pass gelu1_singlegelu() {
  return pass("gelu1-singlegelu", "Make one Gelu of (x * 0.5) * (1 + erf(x / sqrt 2))",
              run<Gelu::Form::input_halved>);
}

Pass gelu2_singlegelu() {
  return pass("gelu2-singlegelu", "Make one Gelu of (x * (1 + erf(x / sqrt 2))) * 0.5",
              run<Gelu::Form::product_halved>);
}

Pass gelu3_singlegelu() {
  return pass("gelu3-singlegelu", "Make one Gelu of x * ((1 + erf(x / sqrt 2)) * 0.5)",
              run<Gelu::Form::gate_halved>);
}

Pass gelu4_singlegelu() {
  return pass("gelu4-singlegelu", "Make one Gelu of its parts where x is multiplied by 0.7071",
              run<Gelu::Form::multiplied>);
}

Pass gelu_singlegelu() {
  return {
      .name = "gelu-singlegelu",
      .summary = "Make one Gelu of its parts, in whatever order they stand",
      .category = "rewrite",
      .numerics = Numerics::close,
      .depends_on = {"gelu1-singlegelu", "gelu2-singlegelu", "gelu3-singlegelu",
                     "gelu4-singlegelu"},
      .detection = Detection{
          .makes = "Gelu", .native_since = 20, .aim = Aim::accelerators, .find = detect::any_gelu}};
}

}  // namespace hone::passes
