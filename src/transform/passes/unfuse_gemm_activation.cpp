//   Before:  com.microsoft.FusedGemm(a, b, c) <activation = "Relu"> -> y
//   After:   Gemm(a, b, c) -> Relu -> y
//   Declines an activation that it does not know.
#include "transform/unfuse.h"

namespace hone::passes {
namespace {

bool is_whole(const Node& node) { return is_microsoft(node, "FusedGemm"); }

NamedActivation activation_of(const Node& gemm) {
  NamedActivation activation{gemm.string_or("activation", ""), {}};
  const std::string& name = activation.name;
  const bool has_alpha =
      name == "LeakyRelu" || name == "Elu" || name == "ThresholdedRelu" || name == "HardSigmoid";
  // What ONNX says where the attribute is not given.
  const float alpha = name == "LeakyRelu" ? 0.01F : name == "HardSigmoid" ? 0.2F : 1.0F;
  if (has_alpha) activation.parameters.push_back(gemm.float_or("activation_alpha", alpha));
  if (name == "HardSigmoid")
    activation.parameters.push_back(gemm.float_or("activation_beta", 0.5F));
  return activation;
}

void unfuse(Rewriter& rewriter, Node& gemm) {
  const NamedActivation activation = activation_of(gemm);
  for (const std::string& why : {no_numbers(gemm), no_activation(activation, rewriter.opset())})
    if (!why.empty()) return rewriter.decline(gemm, why);
  Parts parts(rewriter, gemm);
  Value& made = parts.op("Gemm", gemm.inputs(),
                         attributes(make_attribute("alpha", gemm.float_or("alpha", 1)),
                                    make_attribute("beta", gemm.float_or("beta", 1)),
                                    make_attribute("transA", gemm.int_or("transA", 0)),
                                    make_attribute("transB", gemm.int_or("transB", 0))));
  parts.become(add_activation(parts, made, activation));
}

Status run(Rewriter& rewriter) {
  for (Node* gemm : nodes_where(rewriter, is_whole)) unfuse(rewriter, *gemm);
  return done();
}

}  // namespace

Pass unfuse_gemm_activation() {
  return unfusing("unfuse-gemm-activation", "Write FusedGemm as Gemm and activation", run);
}

}  // namespace hone::passes
