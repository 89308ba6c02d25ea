#include "transform/bisect.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

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

// The outputs with some optimizers off, or why there are none.
struct Attempt {
  std::optional<Verification> verified;
  std::string error;

  // What cannot be judged is nobody's fault.
  bool is_well() const { return verified && (verified->holds || verified->is_undecided); }
  std::optional<double> relative() const {
    if (!verified) return std::nullopt;
    double largest = 0;
    for (const OutputDifference& difference : verified->outputs) {
      const double otherwise = difference.is_equal ? 0 : 1;  // what is no number differs wholly
      largest = std::max(largest, difference.relative.value_or(otherwise));
    }
    return largest;
  }
};

using Names = std::span<const std::string>;

class Bisection {
 public:
  Bisection(const TransformTools& tools, const Model& model, const std::vector<Sample>& samples,
            const BisectOptions& options)
      : tools_(tools), model_(model), samples_(samples), options_(options) {}

  Result<BisectReport> run() {
    HONE_TRY(OutputJudge judge, OutputJudge::create(tools_.runtime, model_, samples_));
    judge_ = &judge;
    report_.model = model_.source.string();
    report_.tolerance = tolerance_of(options_.promise, ElementType::float32);
    for (int level = 1; level < static_cast<int>(level_words.size()) && !is_stopped(); ++level) {
      level_ = level;
      const Attempt whole = attempt({});
      add_level(whole);
      if (whole.is_well()) continue;
      find_suspects(whole);
      break;
    }
    report_.is_interrupted = is_stopped();
    return std::move(report_);
  }

 private:
  bool is_stopped() const { return options_.stop != nullptr && *options_.stop; }
  std::string word() const { return level_words[static_cast<std::size_t>(level_)]; }

  void add_level(const Attempt& whole) {
    BisectLevel& level = report_.levels.emplace_back();
    level.level = word();
    level.relative = whole.relative();
    level.is_well = whole.is_well();
    if (!whole.verified) level.error = whole.error;
  }

  Attempt attempt(Names without) {
    ++report_.steps;
    tools_.progress("step " + std::to_string(report_.steps) + ": level " + word() +
                    (without.empty()       ? ""
                     : without.size() == 1 ? " without " + without.front()
                                           : " without " + std::to_string(without.size()) +
                                                 " optimizers, " + without.front() + " first"));
    OptionMap options = {{"graph_optimization_level", word()}};
    if (!without.empty()) {
      const std::vector<std::string> names(without.begin(), without.end());
      options.emplace("optimization.disable_specified_optimizers", join(names, ";"));
    }
    const auto outputs = run_samples(tools_.runtime, model_, samples_, options);
    if (!outputs) return {std::nullopt, outputs.error().what + ": " + outputs.error().cause};
    auto verified = judge_->judge(*outputs, options_.promise);
    if (!verified) return {std::nullopt, verified.error().what};
    return {std::move(*verified), {}};
  }

  void find_suspects(const Attempt& whole) {
    std::vector<std::string> names;
    for (const Optimizer& optimizer : optimizers) {
      if (optimizer.level <= level_) names.emplace_back(optimizer.name);
    }
    search(names, whole);
    if (report_.suspects.empty()) shrink_together();
  }

  // To switch off more mends no less, so a group that does not mend the level has nobody in it who
  // does alone.
  void search(Names group, const Attempt& whole) {
    if (is_stopped()) return;
    const Attempt without = attempt(group);
    if (!without.is_well()) return;
    if (group.size() == 1) {
      report_.suspects.push_back({group.front(), word(), !whole.verified, whole.relative(),
                                  without.relative(), whole.error});
      return;
    }
    const std::size_t before = report_.suspects.size();
    search(group.first(group.size() / 2), whole);
    search(group.subspan(group.size() / 2), whole);
    const bool takes_several = report_.suspects.size() == before && report_.together.empty();
    if (takes_several && !is_stopped()) report_.together.assign(group.begin(), group.end());
  }

  // Nobody alone: those of the group that are needed.
  void shrink_together() {
    for (std::size_t i = 0; i < report_.together.size() && !is_stopped();) {
      std::vector<std::string> fewer = report_.together;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!fewer.empty() && attempt(fewer).is_well()) {
        report_.together = std::move(fewer);
      } else {
        ++i;
      }
    }
  }

  const TransformTools& tools_;
  const Model& model_;
  const std::vector<Sample>& samples_;
  const BisectOptions& options_;
  OutputJudge* judge_ = nullptr;
  int level_ = 0;
  BisectReport report_;
};

}  // namespace

Result<BisectReport> bisect_optimizers(const TransformTools& tools, const Model& model,
                                       const std::vector<Sample>& samples,
                                       const BisectOptions& options) {
  return Bisection(tools, model, samples, options).run();
}

}  // namespace hone
