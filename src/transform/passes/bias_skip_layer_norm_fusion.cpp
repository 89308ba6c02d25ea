//   Before:  Add(x, bias) -> SkipLayerNormalization(., skip, scale, shift) -> y     (or as the
//   skip) After:   SkipLayerNormalization(x, skip, scale, shift, bias) -> y ONNX Runtime does this
//   by itself behind a MatMul; this pass does it behind anything. Declines when the biased value is
//   used elsewhere: the operator hands out the whole sum only.
#include "transform/fuse.h"
#include "transform/pass.h"

namespace hone::passes {
namespace {

// The operand that is a vector as long as the rows of the other, which is as large as the sum.
std::optional<ConstantOperand> bias_of(const Node& add) {
  const auto operands = constant_operand(add);
  const auto sum = known_shape(add.output(0));
  const auto variable = operands ? known_shape(operands->variable) : std::nullopt;
  if (!variable || !sum || sum->empty()) return std::nullopt;
  const auto dims = operands->constant->constant()->dims;
  if (dims.size() != 1 || sum->back().value != dims[0]) return std::nullopt;
  return std::ranges::equal(*variable, *sum, same_dim) ? operands : std::nullopt;
}

void take_bias(Rewriter& rewriter, Node& norm) {
  for (const std::size_t slot : {std::size_t{0}, std::size_t{1}}) {
    const Node* add = producer_of(norm.input(slot), "Add");
    const auto bias = add != nullptr ? bias_of(*add) : std::nullopt;
    if (!bias) continue;
    if (only_consumer(*norm.input(slot)) != &norm) {
      rewriter.decline(norm, "'" + norm.input(slot)->name() + "' is needed elsewhere");
      continue;
    }
    norm.set_input(slot, bias->variable);
    norm.set_input(4, bias->constant);
    rewriter.changed(norm);
    return;
  }
}

Status run(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes()) {
    const bool is_norm = node->domain == microsoft && node->op_type == "SkipLayerNormalization";
    if (is_norm && !node->is_removed() && node->input(4) == nullptr) take_bias(rewriter, *node);
  }
  return done();
}

}  // namespace

Pass bias_skip_layer_norm_fusion() {
  return {.name = "bias-skip-layer-norm-fusion",
          .summary = "Take the bias before a SkipLayerNormalization into it",
          .category = "layer-norm",
          .numerics = Numerics::close,
          .depends_on = {"skip-layer-norm-fusion"},
          .run = run};
}

}  // namespace hone::passes
