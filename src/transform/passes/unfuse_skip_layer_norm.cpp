//   Before:  com.microsoft.SkipLayerNormalization(x, skip, scale, shift, bias) -> y, , , sum
//            com.microsoft.SkipSimplifiedLayerNormalization(x, skip, scale, bias) -> y, , , sum
//   After:   Add(x, skip) -> Add(bias) = sum -> LayerNormalization(scale, shift) -> y
//            or SimplifiedLayerNormalization(scale), RMSNormalization from opset 23 on
//   Declines when its mean or its deviation is needed, and below opset 17, which has no
//   LayerNormalization.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_simplified(const Node& node) {
  return is_microsoft(node, "SkipSimplifiedLayerNormalization");
}

bool is_whole(const Node& node) {
  return (is_simplified(node) || is_microsoft(node, "SkipLayerNormalization")) &&
         node.input(1) != nullptr && node.input(2) != nullptr;
}

std::string norm_for(const Rewriter& rewriter, const Node& whole) {
  if (!is_simplified(whole)) return "LayerNormalization";
  return rewriter.opset() < 23 ? "SimplifiedLayerNormalization" : "RMSNormalization";
}

bool is_needed(const Value* value) { return value != nullptr && value->is_used(); }

void unfuse(Rewriter& rewriter, Node& whole) {
  if (is_needed(whole.output(1)) || is_needed(whole.output(2)))
    return rewriter.decline(whole, "its mean or its deviation is needed");
  if (!is_simplified(whole) && !rewriter.has_opset(whole, "LayerNormalization", 17)) return;
  Parts parts(rewriter, whole);
  Value* sum = &parts.sum(*whole.input(0), *whole.input(1));
  Value* shift = is_simplified(whole) ? nullptr : whole.input(3);
  Value* bias = whole.input(is_simplified(whole) ? 3 : 4);
  if (bias != nullptr) sum = &parts.sum(*sum, *bias);
  std::vector<Value*> inputs = {sum, whole.input(2)};
  if (shift != nullptr) inputs.push_back(shift);
  Value& made = parts.op(norm_for(rewriter, whole), std::move(inputs),
                         attributes(make_attribute("axis", std::int64_t{-1}),
                                    make_attribute("epsilon", whole.float_or("epsilon", 1e-12F))));
  if (is_needed(whole.output(3))) rewriter.replace(*whole.output(3), *sum);
  parts.become(made);
}

Status run(Rewriter& rewriter) {
  for (Node* whole : nodes_where(rewriter, is_whole)) unfuse(rewriter, *whole);
  return done();
}

}  // namespace

Pass unfuse_skip_layer_norm() {
  return unfusing("unfuse-skip-layer-norm", "Write SkipLayerNormalization as Add and its norm",
                  run);
}

}  // namespace hone::passes
