#include "transform/capability.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hone {
namespace {

constexpr int basic = 1;
constexpr int extended = 2;
constexpr int layout = 3;

// ONNX Runtime's own, with the names that optimization.disable_specified_optimizers takes.
std::vector<Capability> of_onnxruntime() {
  return {
      {"constant-folding",
       "graph",
       "Compute what depends on constants alone",
       basic,
       {"ConstantFolding"}},
      {"gelu-fusion",
       "gelu",
       "Make one Gelu of Div, Erf, Add and Mul",
       extended,
       {"GeluFusionL1", "GeluFusionL2"}},
      {"fast-gelu-fusion",
       "gelu",
       "Make one FastGelu of the tanh form",
       extended,
       {"FastGeluFusion"}},
      {"bias-gelu-fusion",
       "gelu",
       "Take the Add before a Gelu into it",
       extended,
       {"BiasGeluFusion"},
       {"gelu-fusion"}},
      {"quick-gelu-fusion",
       "gelu",
       "Make one QuickGelu of x * sigmoid(a * x)",
       extended,
       {"QuickGeluFusion"}},
      {"gelu-approximation",
       "gelu",
       "Compute Gelu as FastGelu",
       extended,
       {"GeluApproximation"},
       {"gelu-fusion"},
       "optimization.enable_gelu_approximation"},
      {"bias-softmax-fusion",
       "activation",
       "Take the Add before a Softmax into it",
       extended,
       {"BiasSoftmaxFusion"},
       {},
       {},
       "CUDA"},
      {"bias-dropout-fusion",
       "activation",
       "Take the Add before a Dropout into it",
       extended,
       {"BiasDropoutFusion"},
       {},
       {},
       "CUDA"},
      {"conv-add-fusion",
       "convolution",
       "Take an Add behind a Conv into its bias",
       basic,
       {"ConvAddFusion"}},
      {"conv-bn-fusion",
       "convolution",
       "Take a BatchNormalization into the weights of a Conv",
       basic,
       {"ConvBNFusion"}},
      {"conv-mul-fusion",
       "convolution",
       "Take a Mul behind a Conv into its weights",
       basic,
       {"ConvMulFusion"}},
      {"conv-activation-fusion",
       "convolution",
       "Make one FusedConv of Conv and activation",
       extended,
       {"ConvActivationFusion"}},
      {"slice-elimination",
       "elimination",
       "Remove Slices that take everything",
       basic,
       {"EliminateSlice"}},
      {"expand-elimination",
       "elimination",
       "Remove Expands that change nothing",
       basic,
       {"ExpandElimination"}},
      {"unsqueeze-elimination",
       "elimination",
       "Unsqueeze constants ahead of time",
       basic,
       {"UnsqueezeElimination"}},
      {"gemm-activation-fusion",
       "gemm",
       "Make one FusedGemm of Gemm and activation",
       extended,
       {"GemmActivationFusion"}},
      {"gemm-sum-fusion", "gemm", "Take a Sum behind a Gemm into it", basic, {"GemmSumFusion"}},
      {"gemm-transpose-fusion",
       "gemm",
       "Take Transposes around a Gemm into it",
       basic,
       {"GemmTransposeFusion"}},
      {"concat-slice-elimination",
       "graph",
       "Remove Slices that undo a Concat",
       extended,
       {"ConcatSliceElimination"}},
      {"double-qdq-pairs-remover",
       "graph",
       "Remove a QDQ pair that repeats another",
       basic,
       {"DoubleQDQPairsRemover"}},
      {"layer-norm-fusion",
       "layer-norm",
       "Make one LayerNormalization of its parts",
       extended,
       {"LayerNormFusionL1", "LayerNormFusionL2"}},
      {"skip-layer-norm-fusion",
       "layer-norm",
       "Take the Add before a LayerNormalization into it",
       extended,
       {"SkipLayerNormFusion"},
       {"layer-norm-fusion"}},
      {"simplified-layer-norm-fusion",
       "layer-norm",
       "Make one SimplifiedLayerNormalization",
       extended,
       {"SimplifiedLayerNormFusion"}},
      {"transpose-optimizer",
       "layout",
       "Push Transposes through the graph and cancel them",
       basic,
       {"TransposeOptimizer"}},
      {"nhwc-transformer",
       "layout",
       "Run convolutions with channels last",
       layout,
       {"NhwcTransformer"}},
      {"nchwc-transformer",
       "layout",
       "Run convolutions in blocks of channels, for this CPU",
       layout,
       {"NchwcTransformer"}},
      {"conv-add-activation-fusion",
       "layout",
       "Make one FusedConv of Conv, Add and activation",
       layout,
       {"ConvAddActivationFusion"},
       {"conv-add-fusion", "conv-activation-fusion"}},
      {"matmul-add-fusion",
       "matmul",
       "Make one Gemm of MatMul and Add",
       basic,
       {"MatMulAddFusion"}},
      {"matmul-transpose-fusion",
       "matmul",
       "Take Transposes before a MatMul into it",
       extended,
       {"MatmulTransposeFusion"}},
      {"matmul-activation-fusion",
       "matmul",
       "Make one node of MatMul and activation",
       extended,
       {"MatMulActivationFusion"},
       {"matmul-transpose-fusion"},
       {},
       "DirectML"},
      {"matmul-scale-fusion",
       "matmul",
       "Take a scalar Mul or Div around a MatMul into it",
       extended,
       {"MatMulScaleFusion"}},
      {"matmul-bn-fusion",
       "matmul",
       "Take a BatchNormalization into the weights of a MatMul",
       basic,
       {"MatMul_BatchNormalization_Fusion"}},
      {"dynamic-quantize-matmul-fusion",
       "matmul",
       "Make one DynamicQuantizeMatMul of its parts",
       extended,
       {"DynamicQuantizeMatMulFusion"}},
      {"gather-slice-to-split-fusion",
       "misc",
       "Make one Split of Gathers or Slices that tile",
       extended,
       {"GatherSliceToSplitFusion"}},
      {"gather-to-slice-fusion",
       "misc",
       "Make a Slice of a Gather of a range",
       extended,
       {"GatherToSliceFusion"}},
      {"pad-fusion",
       "misc",
       "Take a Pad into the Conv or pooling behind it",
       basic,
       {"Pad_Fusion"}},
      {"not-where-fusion",
       "misc",
       "Swap the branches of a Where in place of a Not",
       basic,
       {"NotWhereFusion"}},
  };
}

// Our passes under their own names, or joined to ONNX Runtime's optimizer of the same name.
std::vector<Capability> with_passes(std::vector<Capability> all) {
  for (const Pass& pass : all_passes()) {
    const auto same = std::ranges::find(all, pass.name, &Capability::name);
    if (same != all.end()) {
      same->pass = &pass;
      continue;
    }
    Capability own{pass.name, pass.category, pass.summary};
    own.depends_on.assign(pass.depends_on.begin(), pass.depends_on.end());
    own.pass = &pass;
    all.push_back(std::move(own));
  }
  return all;
}

std::string kebab(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

}  // namespace

std::span<const Capability> all_capabilities() {
  static const std::vector<Capability> all = with_passes(of_onnxruntime());
  return all;
}

Result<const Capability*> find_capability(std::string_view name) {
  const std::string wanted = kebab(name);
  std::vector<std::string> names;
  for (const Capability& capability : all_capabilities()) {
    if (capability.name == wanted) return &capability;
    names.emplace_back(capability.name);
  }
  const std::string near = nearest(wanted, names);
  return fail(Fault::bad_input, "there is no capability '" + std::string(name) + "'", {},
              near.empty() ? "`hone optimize --list-capabilities` lists them"
                           : "did you mean '" + near + "'?");
}

std::string json_name(const Capability& capability) {
  std::string text(capability.name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string_view source_of(const Capability& capability) {
  if (capability.level == 0) return "hone";
  return capability.pass == nullptr ? "onnxruntime" : "onnxruntime and hone";
}

CapabilitySet default_capabilities() { return {find_capability("constant-folding").value()}; }

CapabilitySet closure_of(CapabilitySet capabilities) {
  std::vector<const Capability*> open(capabilities.begin(), capabilities.end());
  while (!open.empty()) {
    const Capability* next = open.back();
    open.pop_back();
    for (const std::string_view name : next->depends_on) {
      const Capability* needed = find_capability(name).value();
      if (capabilities.insert(needed).second) open.push_back(needed);
    }
  }
  return capabilities;
}

std::span<const std::string_view> optimizers_kept_off() {
  static constexpr std::array<std::string_view, 2> off = {"AttentionFusion",
                                                          "EmbedLayerNormFusion"};
  return off;
}

}  // namespace hone
