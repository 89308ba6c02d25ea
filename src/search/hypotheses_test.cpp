#include "search/hypotheses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

FusionCandidate fusion(std::string capability, std::uint64_t count, std::string makes) {
  FusionCandidate made;
  made.capability = std::move(capability);
  made.count = count;
  made.makes = std::move(makes);
  return made;
}

Insight cpu_insight() {
  Insight insight;
  insight.features.opset = 17;
  insight.features.nodes = 100;
  insight.features.matmul_share = 0.3;
  insight.fusions = {fusion("gelu_fusion", 12, "com.microsoft.Gelu"),
                     fusion("conv_bn_fusion", 4, ""), fusion("conv_add_fusion", 2, "")};
  insight.suggested = {"gelu_fusion"};
  insight.cores = 4;
  insight.quantize_preset = "cpu";
  insight.all_capabilities = {"gelu_fusion", "conv_bn_fusion", "conv_add_fusion", "pad_fusion"};
  return insight;
}

const Hypothesis* find(const HypothesisSet& set, const std::string& id) {
  const auto found = std::ranges::find(set.hypotheses, id, &Hypothesis::id);
  return found != set.hypotheses.end() ? &*found : nullptr;
}

std::string skip_reason(const HypothesisSet& set, const std::string& id) {
  const auto found = std::ranges::find(set.skips, id, &SkippedHypothesis::id);
  return found != set.skips.end() ? found->reason : "it is not skipped";
}

TEST(Hypotheses, BeginWithTheBaselineAndThenByPriority) {
  const HypothesisSet set = propose_hypotheses(cpu_insight());
  ASSERT_GT(set.hypotheses.size(), 10u);
  EXPECT_EQ(set.hypotheses.front().id, "baseline");
  const auto rest = std::span(set.hypotheses).subspan(1);
  EXPECT_TRUE(std::ranges::is_sorted(rest, std::greater(), &Hypothesis::priority));
}

TEST(Hypotheses, EachHasAReasonAndARecipeOfItsOwn) {
  const HypothesisSet set = propose_hypotheses(cpu_insight());
  std::set<std::string> recipes;
  std::set<std::string> ids;
  for (const Hypothesis& hypothesis : set.hypotheses) {
    EXPECT_FALSE(hypothesis.reason.empty()) << hypothesis.id;
    EXPECT_TRUE(recipes.insert(to_json(hypothesis.recipe).canonical()).second) << hypothesis.id;
    EXPECT_TRUE(ids.insert(hypothesis.id).second) << hypothesis.id;
  }
  for (const SkippedHypothesis& skip : set.skips) EXPECT_FALSE(skip.reason.empty()) << skip.id;
}

TEST(Hypotheses, FuseOnlyWhereThereIsSomethingToFuse) {
  const HypothesisSet set = propose_hypotheses(cpu_insight());
  EXPECT_EQ(skip_reason(set, "pad-fusion"), "there is nothing to fuse");
  ASSERT_TRUE(find(set, "conv-bn-fusion"));
  EXPECT_TRUE(find(set, "conv-bn-fusion")->recipe.optimize.at("conv_bn_fusion"));
  ASSERT_TRUE(find(set, "conv-pack"));
  EXPECT_EQ(find(set, "conv-pack")->recipe.optimize.size(), 2u);
  EXPECT_THAT(skip_reason(set, "attention-pack"), HasSubstr("fewer than two"));
}

TEST(Hypotheses, DoNotHoldWhatAnalysisWithholds) {
  Insight insight = cpu_insight();
  insight.fusions.push_back(fusion("matmul_activation_fusion", 40, "FusedMatMulActivation"));
  insight.withheld["matmul_activation_fusion"] = "it acts on DirectML alone";
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_FALSE(find(set, "matmul-activation-fusion"));
  EXPECT_EQ(skip_reason(set, "matmul-activation-fusion"), "it acts on DirectML alone");
}

TEST(Hypotheses, SpeakOfOnePlaceAsOfOne) {
  Insight insight = cpu_insight();
  insight.baseline.optimize_rounds = 0;
  for (FusionCandidate& one : insight.fusions) one.count = 1;
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_EQ(find(set, "gelu-fusion")->predicted, "1 place becomes com.microsoft.Gelu");
  EXPECT_EQ(find(set, "conv-bn-fusion")->predicted, "1 place changes");
  insight.baseline.optimize_rounds = 3;
  EXPECT_EQ(find(propose_hypotheses(insight), "no-gelu-fusion")->predicted,
            "1 place stays unfused");
}

TEST(Hypotheses, OfTheSameRecipeAreTriedOnceAndListed) {
  Insight insight = cpu_insight();
  insight.suggested = {"conv_bn_fusion", "conv_add_fusion"};
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_TRUE(find(set, "conv-pack"));
  EXPECT_FALSE(find(set, "all-suggested"));
  EXPECT_EQ(skip_reason(set, "all-suggested"), "it is the recipe of conv-pack");
}

TEST(Hypotheses, TryWithoutWhatTheBaselineFusesByItself) {
  const HypothesisSet set = propose_hypotheses(cpu_insight());
  EXPECT_FALSE(find(set, "gelu-fusion"));
  ASSERT_TRUE(find(set, "no-gelu-fusion"));
  EXPECT_FALSE(find(set, "no-gelu-fusion")->recipe.optimize.at("gelu_fusion"));
  Insight without = cpu_insight();
  without.baseline.optimize_rounds = 0;
  ASSERT_TRUE(find(propose_hypotheses(without), "gelu-fusion"));
  EXPECT_EQ(find(propose_hypotheses(without), "gelu-fusion")->predicted,
            "12 places become com.microsoft.Gelu");
}

TEST(Hypotheses, KnowWhichPrecisionsATargetCanGainBy) {
  const HypothesisSet cpu = propose_hypotheses(cpu_insight());
  EXPECT_TRUE(find(cpu, "w8a8"));
  EXPECT_TRUE(find(cpu, "dynamic"));
  EXPECT_EQ(find(cpu, "w8a8")->recipe.quantize->preset, "cpu");
  EXPECT_TRUE(find(cpu, "w8a8-per-channel")->recipe.quantize->per_channel);
  EXPECT_THAT(skip_reason(cpu, "fp16"), HasSubstr("nothing gets faster"));
  EXPECT_THAT(skip_reason(cpu, "w8a16"), HasSubstr("only NPUs"));
  Insight npu = cpu_insight();
  npu.device = "npu";
  EXPECT_TRUE(find(propose_hypotheses(npu), "w8a16"));
  Insight quantized = cpu_insight();
  quantized.features.is_quantized = true;
  EXPECT_EQ(skip_reason(propose_hypotheses(quantized), "w8a8"), "the model is quantized already");
}

TEST(Hypotheses, VaryOpsetCompilationThreadsAndProviderOptions) {
  Insight insight = cpu_insight();
  const HypothesisSet cpu = propose_hypotheses(insight);
  EXPECT_EQ(skip_reason(cpu, "opset-17"), "the baseline has it");
  EXPECT_EQ(find(cpu, "opset-21")->recipe.opset, 21);
  EXPECT_EQ(skip_reason(cpu, "compile"), "cpu makes no compiled models");
  for (const char* id : {"threads-1", "threads-2", "threads-3", "threads-4", "no-spinning"})
    EXPECT_TRUE(find(cpu, id)) << id;
  insight.device = "npu";
  insight.covered_share = 1.0;
  insight.compiles_ahead = true;
  insight.baseline.target.ep = "qnn";
  const HypothesisSet npu = propose_hypotheses(insight);
  EXPECT_TRUE(find(npu, "compile"));
  EXPECT_TRUE(find(npu, "htp_performance_mode=burst"));
  EXPECT_EQ(skip_reason(npu, "session"), "the npu takes the whole model");
}

TEST(Hypotheses, KeepInFloatWhatAFileSays) {
  Insight insight = cpu_insight();
  EXPECT_FALSE(find(propose_hypotheses(insight), "w8a8-kept"));
  insight.overrides = "keep.json";
  const HypothesisSet set = propose_hypotheses(insight);
  for (const char* id : {"w8a8-kept", "w8a8-per-channel-kept"})
    EXPECT_EQ(find(set, id)->recipe.quantize->overrides, "keep.json") << id;
  EXPECT_FALSE(find(set, "w8a8")->recipe.quantize->overrides);
  EXPECT_FALSE(find(set, "dynamic-kept"));
}

TEST(Hypotheses, OfManyCoresHaveFewThreadCounts) {
  Insight insight = cpu_insight();
  insight.cores = 96;
  const HypothesisSet set = propose_hypotheses(insight);
  const auto count = std::ranges::count_if(
      set.hypotheses, [](const Hypothesis& one) { return one.id.starts_with("threads-"); });
  EXPECT_LT(count, 14);
  EXPECT_TRUE(find(set, "threads-96"));
}

TEST(Hypotheses, FollowTheAdvisor) {
  const HypothesisSet set = propose_hypotheses(cpu_insight(), [](const Hypothesis& hypothesis) {
    AdviceOnHypothesis advice;
    if (hypothesis.id == "opset-21") {
      advice.pruned_by = "cpu-001";
      advice.reason = "slower on this runtime";
    }
    if (hypothesis.id == "no-arena") {
      advice.priority_delta = 100;
      advice.findings = {"cpu-007"};
      advice.reason = "it was faster on models like this";
    }
    return advice;
  });
  EXPECT_FALSE(find(set, "opset-21"));
  const auto skipped = std::ranges::find(set.skips, "opset-21", &SkippedHypothesis::id);
  ASSERT_NE(skipped, set.skips.end());
  EXPECT_EQ(skipped->finding, "cpu-001");
  EXPECT_EQ(set.hypotheses[1].id, "no-arena");
  EXPECT_THAT(set.hypotheses[1].findings, ElementsAre("cpu-007"));
  EXPECT_THAT(set.hypotheses[1].reason, HasSubstr("it was faster on models like this"));
}

// Of 44,487 weights, 13,331 denormal: what was found on a network that runs 166 times faster so.
TEST(Hypotheses, DenormalWeightsPutTheirArmBeforeAllOthers) {
  Insight insight = cpu_insight();
  insight.hot_ops = {{"MatMul", 0.9}, {"Add", 0.1}};
  const auto place_of = [&] {
    const HypothesisSet set = propose_hypotheses(insight);
    const auto found = std::ranges::find(set.hypotheses, "denormals-as-zero", &Hypothesis::id);
    return found - set.hypotheses.begin();
  };
  EXPECT_GT(place_of(), 5);
  insight.features.float_weights = 44'487;
  insight.features.denormal_weights = 13'331;
  EXPECT_EQ(place_of(), 1);
  EXPECT_THAT(find(propose_hypotheses(insight), "denormals-as-zero")->reason,
              HasSubstr("13,331 of 44,487 float weights are denormal"));
}

TEST(Hypotheses, QuantizeNothingThatIsQuantizedInWhateverWay) {
  Insight insight = cpu_insight();
  insight.features.is_quantized = true;
  const HypothesisSet set = propose_hypotheses(insight);
  for (const char* id : {"w8a8", "w8a8-per-channel", "int4", "dynamic"})
    EXPECT_EQ(skip_reason(set, id), "the model is quantized already") << id;
}

TEST(Hypotheses, AreOrderedByWhatTheTraceShows) {
  Insight insight = cpu_insight();
  insight.fusions.push_back(fusion("dequantize_constant_fold", 3, ""));
  insight.all_capabilities.push_back("dequantize_constant_fold");
  insight.features.op_counts = {{"DequantizeLinear", 3}, {"MatMul", 5}};
  insight.features.dequantized_weights = 3;
  insight.hot_ops = {{"DequantizeLinear", 0.67}, {"MatMul", 0.05}, {"Add", 0.28}};
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_EQ(set.hypotheses[1].id, "dequantize-constant-fold");
  EXPECT_THAT(set.hypotheses[1].reason, HasSubstr("where 67 % of the traced time goes"));
  EXPECT_GT(find(set, "dequantize-constant-fold")->priority, find(set, "w8a8")->priority);
  insight.hot_ops = {{"MatMul", 0.95}, {"DequantizeLinear", 0.0}};
  const HypothesisSet other = propose_hypotheses(insight);
  EXPECT_EQ(other.hypotheses[1].id, "w8a8");
  EXPECT_THAT(other.hypotheses[1].reason, HasSubstr("95 % of the traced time is in what"));
}

TEST(Hypotheses, WithoutDataWhatCannotShipComesLater) {
  Insight insight = cpu_insight();
  const double with = find(propose_hypotheses(insight), "w8a8")->priority;
  insight.has_data = false;
  EXPECT_LT(find(propose_hypotheses(insight), "w8a8")->priority, with);
}

// A model of convolutions that is on the GPU as a whole.
Insight cuda_insight() {
  Insight insight = cpu_insight();
  insight.features.op_counts = {{"Conv", 53}, {"MatMul", 1}};
  insight.device = "gpu";
  insight.cores = 16;
  insight.placed_share = 1.0;
  insight.quantize_preset = "ort";
  insight.baseline.target.ep = "cuda";
  insight.baseline.optimize_rounds = 0;
  return insight;
}

std::size_t place_of(const HypothesisSet& set, const std::string& id) {
  const auto found = std::ranges::find(set.hypotheses, id, &Hypothesis::id);
  return static_cast<std::size_t>(found - set.hypotheses.begin());
}

TEST(Hypotheses, OnCudaBeginWithGraphsAndWithHalfPrecisionInThem) {
  const HypothesisSet set = propose_hypotheses(cuda_insight());
  ASSERT_GT(set.hypotheses.size(), 5u);
  std::vector<std::string> first;
  for (std::size_t i = 1; i <= 4; ++i) first.push_back(set.hypotheses[i].id);
  EXPECT_THAT(first, ElementsAre("enable_cuda_graph=1", "fp16+enable_cuda_graph=1",
                                 "fp16+enable_cuda_graph=1+prefer_nhwc=1",
                                 "enable_cuda_graph=1+prefer_nhwc=1"));
  const Hypothesis* mix = find(set, "fp16+enable_cuda_graph=1");
  EXPECT_EQ(mix->dimension, "precision") << "it goes through the gates of one";
  EXPECT_THAT(mix->recipe.quantize->precisions, ElementsAre("fp16"));
  EXPECT_EQ(mix->recipe.target.options.at("enable_cuda_graph"), "1");
  EXPECT_EQ(find(set, "enable_cuda_graph=1")->dimension, "provider");
}

TEST(Hypotheses, OnAGpuSayNothingOfThreadsAndLastOfOpsets) {
  const HypothesisSet set = propose_hypotheses(cuda_insight());
  EXPECT_EQ(skip_reason(set, "session"), "the gpu takes the whole model");
  for (const Hypothesis& hypothesis : set.hypotheses)
    EXPECT_NE(hypothesis.dimension, "session") << hypothesis.id;
  EXPECT_LT(place_of(set, "cudnn_conv_algo_search=HEURISTIC"), place_of(set, "opset-21"));
  EXPECT_GT(place_of(set, "int4"), place_of(set, "opset-18")) << "nothing is thought less of";
}

TEST(Hypotheses, OfThreadsCountForTheNodesThatTheCpuGets) {
  Insight insight = cuda_insight();
  insight.placed_share = 0.9;
  const HypothesisSet some = propose_hypotheses(insight);
  ASSERT_TRUE(find(some, "threads-1"));
  insight.placed_share = 0.5;
  EXPECT_GT(find(propose_hypotheses(insight), "threads-1")->priority,
            find(some, "threads-1")->priority);
  EXPECT_LT(find(some, "threads-1")->priority, find(some, "prefer_nhwc=1")->priority);
}

TEST(Hypotheses, OfALayoutNeedSomethingToLayOut) {
  Insight insight = cuda_insight();
  insight.features.op_counts = {{"MatMul", 72}};
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_EQ(skip_reason(set, "prefer_nhwc=1"), "the model has no Conv");
  EXPECT_EQ(skip_reason(set, "fp16+enable_cuda_graph=1+prefer_nhwc=1"), "the model has no Conv");
  EXPECT_TRUE(find(set, "fp16+enable_cuda_graph=1"));
}

TEST(Hypotheses, WithoutDataAGraphInFloatComesBeforeHalfPrecision) {
  Insight insight = cuda_insight();
  insight.has_data = false;
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_LT(place_of(set, "enable_cuda_graph=1+prefer_nhwc=1"),
            place_of(set, "fp16+enable_cuda_graph=1"));
}

Insight checkpoint_insight() {
  Insight insight = cpu_insight();
  insight.baseline.exporting = ExportRecipe{.opset = 17};
  insight.features.op_counts = {{"Softmax", 6}, {"MatMul", 40}};
  return insight;
}

TEST(Hypotheses, OfACheckpointAreFormsOfItsExport) {
  const HypothesisSet set = propose_hypotheses(checkpoint_insight());
  ASSERT_TRUE(find(set, "form-contrib"));
  EXPECT_EQ(find(set, "form-contrib")->recipe.exporting->form, "contrib");
  EXPECT_EQ(find(set, "form-contrib")->recipe.exporting->opset, 17);
  ASSERT_TRUE(find(set, "form-onnx-attention"));
  EXPECT_EQ(find(set, "form-onnx-attention")->recipe.exporting->opset, 23);
  ASSERT_TRUE(find(set, "weights-copy"));
  EXPECT_EQ(find(set, "weights-copy")->recipe.exporting->weights, "copy");
  EXPECT_EQ(skip_reason(set, "form-standard"), "the baseline has it");
  EXPECT_FALSE(find(propose_hypotheses(cpu_insight()), "form-contrib"));
}

TEST(Hypotheses, OfACheckpointWriteAnOpsetInThePlaceOfConvertingToIt) {
  const HypothesisSet set = propose_hypotheses(checkpoint_insight());
  ASSERT_TRUE(find(set, "opset-23"));
  EXPECT_EQ(find(set, "opset-23")->recipe.exporting->opset, 23);
  EXPECT_FALSE(find(set, "opset-23")->recipe.opset);
  const HypothesisSet other = propose_hypotheses(cpu_insight());
  EXPECT_FALSE(find(other, "opset-23"));
  EXPECT_EQ(find(other, "opset-21")->recipe.opset, 21);
}

TEST(Hypotheses, LeaveOutOpsetsThatACheckpointIsWrittenAlikeIn) {
  Insight insight = checkpoint_insight();
  insight.distinct_opsets = {17, 20};
  const HypothesisSet set = propose_hypotheses(insight);
  EXPECT_TRUE(find(set, "opset-20"));
  EXPECT_FALSE(find(set, "opset-21"));
  EXPECT_EQ(skip_reason(set, "opset-21"), "it is written with the operators of opset 20");
}

TEST(Hypotheses, FixSizesOnlyWhereAllOfThemWereSaid) {
  Insight insight = checkpoint_insight();
  EXPECT_THAT(skip_reason(propose_hypotheses(insight), "static-shapes"), HasSubstr("were said"));
  insight.said_sizes = InputShapes{{"input_ids", {1, 128}}};
  const HypothesisSet set = propose_hypotheses(insight);
  ASSERT_TRUE(find(set, "static-shapes"));
  EXPECT_EQ(find(set, "static-shapes")->recipe.shapes, insight.said_sizes);
}

TEST(Hypotheses, HaveNoFusedFormForWhatHasNothingToFuse) {
  Insight insight = checkpoint_insight();
  insight.features.op_counts = {{"Conv", 53}, {"Relu", 49}};
  EXPECT_THAT(skip_reason(propose_hypotheses(insight), "form-contrib"), HasSubstr("no attention"));
  insight = checkpoint_insight();
  insight.device = "npu";
  EXPECT_THAT(skip_reason(propose_hypotheses(insight), "form-contrib"), HasSubstr("NPUs"));
  EXPECT_TRUE(find(propose_hypotheses(insight), "form-onnx-attention"));
}

}  // namespace
}  // namespace hone
