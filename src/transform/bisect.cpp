#include "transform/bisect.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

// Every name that optimization.disable_specified_optimizers takes in ONNX Runtime 1.30, by level.
struct Optimizer {
  std::string_view name;
  int level;
};
constexpr std::array optimizers = {
    Optimizer{"EliminateIdentity", 1},
    Optimizer{"EliminateSlice", 1},
    Optimizer{"UnsqueezeElimination", 1},
    Optimizer{"EliminateDropout", 1},
    Optimizer{"ExpandElimination", 1},
    Optimizer{"CastElimination", 1},
    Optimizer{"PreShapeNodeElimination", 1},
    Optimizer{"NoopElimination", 1},
    Optimizer{"DivMulFusion", 1},
    Optimizer{"FuseReluClip", 1},
    Optimizer{"GemmSumFusion", 1},
    Optimizer{"GemmTransposeFusion", 1},
    Optimizer{"NotWhereFusion", 1},
    Optimizer{"ConvAddFusion", 1},
    Optimizer{"ConvMulFusion", 1},
    Optimizer{"ConvBNFusion", 1},
    Optimizer{"Pad_Fusion", 1},
    Optimizer{"MatMul_BatchNormalization_Fusion", 1},
    Optimizer{"LabelEncoderFusion", 1},
    Optimizer{"DoubleQDQPairsRemover", 1},
    Optimizer{"ConstantSharing", 1},
    Optimizer{"CommonSubexpressionElimination", 1},
    Optimizer{"ConstantFolding", 1},
    Optimizer{"MatMulAddFusion", 1},
    Optimizer{"ReshapeFusion", 1},
    Optimizer{"SliceConcatToSpaceToDepthFusion", 1},
    Optimizer{"GeluFusionL1", 1},
    Optimizer{"LayerNormFusionL1", 1},
    Optimizer{"QDQPropagationTransformer", 1},
    Optimizer{"WeightBiasQuantization", 1},
    Optimizer{"WhereDummyDq", 1},
    Optimizer{"TransposeOptimizer", 1},
    Optimizer{"ClipQuantRewrite", 2},
    Optimizer{"ReluQuantRewrite", 2},
    Optimizer{"TransposeOptimizer_CPUExecutionProvider", 2},
    Optimizer{"QDQS8ToU8Transformer", 2},
    Optimizer{"QDQSelectorActionTransformer", 2},
    Optimizer{"GemmActivationFusion", 2},
    Optimizer{"MatMulIntegerToFloatFusion", 2},
    Optimizer{"DynamicQuantizeMatMulFusion", 2},
    Optimizer{"ConvActivationFusion", 2},
    Optimizer{"GeluFusionL2", 2},
    Optimizer{"LayerNormFusionL2", 2},
    Optimizer{"SimplifiedLayerNormFusion", 2},
    Optimizer{"AttentionFusion", 2},
    Optimizer{"EmbedLayerNormFusion", 2},
    Optimizer{"GatherSliceToSplitFusion", 2},
    Optimizer{"GatherToSliceFusion", 2},
    Optimizer{"MatmulTransposeFusion", 2},
    Optimizer{"BiasGeluFusion", 2},
    Optimizer{"SkipLayerNormFusion", 2},
    Optimizer{"BiasSkipLayerNormFusion", 2},
    Optimizer{"FastGeluFusion", 2},
    Optimizer{"QuickGeluFusion", 2},
    Optimizer{"BiasSoftmaxFusion", 2},
    Optimizer{"MatMulScaleFusion", 2},
    Optimizer{"MatMulNBitsFusion", 2},
    Optimizer{"QDQFinalCleanupTransformer", 2},
    Optimizer{"NchwcTransformer", 3},
    Optimizer{"NhwcTransformer", 3},
    Optimizer{"ConvAddActivationFusion", 3},
};
constexpr std::array<const char*, 4> level_words = {"disable", "basic", "extended", "all"};

struct Attempt {
  std::optional<double> relative;  // nothing when it failed
  std::string error;
};

class Bisection {
 public:
  Bisection(const TransformTools& tools, const Model& model, const std::vector<Sample>& samples)
      : tools_(tools), model_(model), samples_(samples) {}

  Status take_reference() {
    HONE_TRY(reference_, run_samples(tools_.runtime, model_, samples_,
                                     {{"graph_optimization_level", level_words[0]}}));
    return done();
  }

  Attempt attempt(int level, std::string_view without) const {
    OptionMap options = {
        {"graph_optimization_level", level_words[static_cast<std::size_t>(level)]}};
    if (!without.empty()) options.emplace("optimization.disable_specified_optimizers", without);
    const auto outputs = run_samples(tools_.runtime, model_, samples_, options);
    if (!outputs) return {std::nullopt, outputs.error().what + ": " + outputs.error().cause};
    double largest = 0;
    for (const OutputDifference& difference : compare_outputs(reference_, *outputs)) {
      const double otherwise = difference.is_equal ? 0 : 1;  // what is no number differs wholly
      largest = std::max(largest, difference.relative.value_or(otherwise));
    }
    return {largest, {}};
  }

 private:
  const TransformTools& tools_;
  const Model& model_;
  const std::vector<Sample>& samples_;
  std::vector<NamedTensors> reference_;
};

bool is_well(const Attempt& attempt, double tolerance) {
  return attempt.relative && *attempt.relative <= tolerance;
}

}  // namespace

Result<BisectReport> bisect_optimizers(const TransformTools& tools, const Model& model,
                                       const std::vector<Sample>& samples, double tolerance) {
  Bisection bisection(tools, model, samples);
  HONE_TRY_DO(bisection.take_reference());
  BisectReport report;
  report.model = model.source.string();
  report.tolerance = tolerance;
  for (int level = 1; level < static_cast<int>(level_words.size()); ++level) {
    const std::string word = level_words[static_cast<std::size_t>(level)];
    tools.progress("trying level " + word);
    const Attempt whole = bisection.attempt(level, {});
    report.levels.push_back(
        {word, whole.relative, whole.relative ? std::nullopt : std::optional(whole.error)});
    if (is_well(whole, tolerance)) continue;
    for (const Optimizer& optimizer : optimizers) {
      if (optimizer.level > level) continue;
      tools.progress("trying without " + std::string(optimizer.name));
      const Attempt without = bisection.attempt(level, optimizer.name);
      if (!is_well(without, tolerance)) continue;
      report.suspects.push_back({std::string(optimizer.name), word, !whole.relative, whole.relative,
                                 without.relative, whole.error});
    }
    break;
  }
  return report;
}

}  // namespace hone
