// Optimizing on the real ONNX Runtime: what is switched on happens, what is not does not, what
// changed nothing is known to have changed nothing, and a wrong result is seen.

#include "transform/optimize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "model/text/text.h"
#include "real_runtime.h"
#include "transform/bisect.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

class Optimize : public testing::Test {
 protected:
  static Model tiny(const std::string& name) {
    return load_model(HONE_SOURCE_DIR "/tests/fixtures/tiny/" + name + "/torch-opset17.onnx")
        .value();
  }
  static TransformTools tools() {
    return {.runtime = onnxruntime(), .probe_library = HONE_EP_LIBRARY};
  }
  static OptimizeOutcome optimized(const Model& model, const std::vector<std::string>& names) {
    auto outcome = optimize(tools(), model, plan_capabilities(names, {}).value());
    EXPECT_TRUE(outcome) << outcome.error().what << ": " << outcome.error().cause;
    return std::move(*outcome);
  }
};

TEST_F(Optimize, DoesWhatIsSwitchedOnAndCountsIt) {
  const OptimizeOutcome outcome = optimized(tiny("bert-cls"), {"gelu-fusion"});
  const CapabilityEffect& gelu = outcome.report.capabilities.at("gelu_fusion");
  EXPECT_TRUE(gelu.asked);
  EXPECT_TRUE(gelu.changed);
  EXPECT_EQ(gelu.fused, 8u) << "two Gelus of five nodes each";
  EXPECT_EQ(outcome.report.op_changes.at("com.microsoft.Gelu"), 2);
  EXPECT_TRUE(outcome.report.verified->holds);
}

TEST_F(Optimize, DoesNotDoWhatIsOff) {
  const OptimizeOutcome outcome = optimized(tiny("bert-cls"), {});
  EXPECT_THAT(outcome.report.op_changes, Not(Contains(Key("com.microsoft.Gelu"))));
  EXPECT_THAT(outcome.report.capabilities, Not(Contains(Key("gelu_fusion"))));
}

// A Conv with a BatchNormalization behind it, whose weights become `weight` times two by folding.
Model conv_and_norm(const std::string& weight) {
  return parse_text(R"(<ir_version: 8, opset_import: ["": 17]>
g (float[1, 1, 4, 4] x) => (float[1, 1, 4, 4] y)
<float little = {1e-30}, float[1, 1, 1, 1] w = {)" +
                    weight + R"(},
 float[1] scale = {2.0}, float[1] bias = {0.5}, float[1] mean = {0.25}, float[1] var = {1.0}>
{
  small = Mul (x, little)
  seen = Conv (small, w)
  y = BatchNormalization <epsilon = 0.0> (seen, scale, bias, mean, var)
})")
      .value();
}

TEST_F(Optimize, TakesNormsIntoConvolutionsUnlessItIsOff) {
  const OptimizeOutcome folded = optimized(conv_and_norm("3e30"), {});
  EXPECT_EQ(folded.report.op_changes.at("BatchNormalization"), -1);
  EXPECT_FALSE(folded.report.capabilities.at("conv_bn_fusion").asked);
  EXPECT_TRUE(folded.report.verified->holds);
  const auto kept =
      optimize(tools(), conv_and_norm("3e30"), plan_capabilities({}, {"conv-bn-fusion"}).value());
  ASSERT_TRUE(kept);
  EXPECT_THAT(kept->report.op_changes, Not(Contains(Key("BatchNormalization"))));
}

TEST_F(Optimize, LeavesANormWhereFoldingItBreaksTheModel) {
  const OptimizeOutcome outcome = optimized(conv_and_norm("3e38"), {});
  EXPECT_THAT(outcome.report.op_changes, Not(Contains(Key("BatchNormalization"))));
  EXPECT_TRUE(outcome.report.verified->holds);
  const auto& effects = outcome.report.capabilities;
  EXPECT_TRUE(effects.at("conv_bn_fusion").left_out_because);
  EXPECT_FALSE(effects.at("constant_folding").left_out_because);
}

TEST_F(Optimize, SaysThatAnAskedForCapabilityChangedNothing) {
  // There is no Gelu in a ResNet, and the level it needs changes the graph all the same.
  const OptimizeOutcome outcome = optimized(tiny("resnet-cls"), {"gelu-fusion"});
  const CapabilityEffect& gelu = outcome.report.capabilities.at("gelu_fusion");
  EXPECT_TRUE(gelu.asked);
  EXPECT_FALSE(gelu.changed);
}

TEST_F(Optimize, SwitchesOnWhatACapabilityNeeds) {
  const OptimizeOutcome outcome = optimized(tiny("bert-cls"), {"bias-gelu-fusion"});
  EXPECT_EQ(outcome.report.op_changes.at("com.microsoft.BiasGelu"), 2);
  EXPECT_FALSE(outcome.report.capabilities.at("gelu_fusion").asked);
}

TEST_F(Optimize, CountsForAGroupWhatItsPassesDid) {
  const OptimizeOutcome outcome = optimized(tiny("bert-cls"), {"gelu-singlegelu"});
  const CapabilityEffect& group = outcome.report.capabilities.at("gelu_singlegelu");
  EXPECT_TRUE(group.asked);
  EXPECT_TRUE(group.changed);
  EXPECT_EQ(group.fused, 2u);
  EXPECT_EQ(outcome.report.capabilities.at("gelu2_singlegelu").fused, 2u);
  EXPECT_EQ(outcome.report.capabilities.at("gelu1_singlegelu").fused, 0u);
  EXPECT_EQ(outcome.report.verified->promise, "close");
}

TEST_F(Optimize, SaysThatAGroupChangedNothing) {
  const OptimizeOutcome outcome = optimized(tiny("resnet-cls"), {"gelu-singlegelu"});
  EXPECT_FALSE(outcome.report.capabilities.at("gelu_singlegelu").changed);
}

TEST_F(Optimize, KeepsWhoMadeTheModelAndNoDomainItDoesNotUse) {
  const Model model = tiny("bert-cls");
  const OptimizeOutcome outcome = optimized(model, {});
  EXPECT_EQ(outcome.result.model.producer_name, model.producer_name);
  ASSERT_EQ(outcome.result.model.opsets.size(), 1u);
  EXPECT_EQ(outcome.result.model.opset(), 17);
}

TEST_F(Optimize, LeavesQdqPairsAlone) {
  const Model model =
      load_model(HONE_SOURCE_DIR "/tests/fixtures/golden/tiny-resnet-cls/w8a8.onnx").value();
  const OptimizeOutcome outcome = optimized(model, {"conv-activation-fusion"});
  EXPECT_THAT(outcome.report.op_changes, Not(Contains(Key("QLinearConv"))));
  EXPECT_THAT(outcome.report.op_changes, Not(Contains(Key("QuantizeLinear"))));
  EXPECT_THAT(outcome.report.op_changes, Not(Contains(Key("DequantizeLinear"))));
}

// ONNX Runtime saves the weights of subgraphs twice.
TEST_F(Optimize, TakesModelsWhoseSubgraphsHaveWeights) {
  std::string numbers = "1";
  for (int i = 1; i < 300; ++i) numbers += ", " + std::to_string(i);
  const Model model =
      parse_text(
          "<ir_version: 8, opset_import: [\"\": 17]> g (bool c, float[300] x) => (float[300] y) {"
          "y = If (c) <then_branch = a () => (float[300] p) <float[300] w = {" +
          numbers +
          "}> { i = Identity(x) p = Add(i, w) }, else_branch = b () => (float[300] q) <float[1] v "
          "= "
          "{2}> { q = Mul(x, v) }> }")
          .value();
  const OptimizeOutcome outcome = optimized(model, {});
  EXPECT_TRUE(outcome.report.verified->holds);
  EXPECT_EQ(outcome.report.op_changes, (std::map<std::string, std::int64_t>{{"Identity", -1}}));
  EXPECT_EQ(outcome.report.bytes_after, 1204u);
}

// Half precision, float32 where it was wanted, and float32 at both ends.
constexpr auto mixed = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,4] x) => (float[2,4] y, float16[2,4] z)
    <float16[4,4] w = {1.0, 0.5, 0.25, 2.0, 1.0, 0.5, 0.25, 2.0, 1.0, 0.5, 0.25, 2.0, 1.0, 0.5, 0.25, 2.0},
     float16[4] b = {1.0, 0.5, 0.25, 2.0}>
    { h = Cast <to = 10> (x) m = MatMul(h, w) r = Relu(m) i = Identity(r) s = Cast <to = 1> (i)
      t = Softmax(s) u = Cast <to = 10> (t) z = Add(u, b) v = Mul(z, b) y = Cast <to = 1> (v) })";

TEST_F(Optimize, LeavesHalfPrecisionAsItIs) {
  const Model model = parse_text(mixed).value();
  const OptimizeOutcome outcome = optimized(model, {"gelu-fusion"});
  EXPECT_TRUE(outcome.report.verified->holds);
  EXPECT_EQ(outcome.report.op_changes, (std::map<std::string, std::int64_t>{{"Identity", -1}}));
  const Graph& graph = *outcome.result.model.graph;
  for (const Node& node : graph.nodes()) {
    EXPECT_EQ(node.name.find("InsertedPrecisionFreeCast"), std::string::npos) << node.name;
  }
  for (const Value* value : graph.values()) {
    EXPECT_EQ(value->name().find("InsertedPrecisionFreeCast"), std::string::npos);
  }
  ASSERT_NE(graph.find("m"), nullptr) << "values keep their names";
  EXPECT_EQ(graph.find("w")->initializer()->type, ElementType::float16);
  EXPECT_EQ(graph.find("z")->type.element, ElementType::float16);
  const OptimizeOutcome again = optimized(outcome.result.model, {"gelu-fusion"});
  EXPECT_TRUE(again.report.op_changes.empty()) << "and again";
}

// What ONNX Runtime has saved is a model like any other.
TEST_F(Optimize, TakesHalfPrecisionThatOnnxruntimeHasCastBefore) {
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float16[2,4] x) => (float16[2,4] y)
      <float16[4] b = {1.0, 0.5, 0.25, 2.0}>
      { [InsertedPrecisionFreeCast_x] InsertedPrecisionFreeCast_x = Cast <to = 1> (x)
        InsertedPrecisionFreeCast_t = Tanh(InsertedPrecisionFreeCast_x)
        [InsertedPrecisionFreeCast_t] t = Cast <to = 10> (InsertedPrecisionFreeCast_t)
        y = Add(t, b) })")
                          .value();
  const OptimizeOutcome outcome = optimized(model, {});
  EXPECT_TRUE(outcome.report.verified->holds);
  EXPECT_TRUE(outcome.report.op_changes.empty());
  EXPECT_NE(outcome.result.model.graph->find("InsertedPrecisionFreeCast_t"), nullptr);
}

TEST_F(Optimize, KeepsNoWeightThatNobodyUses) {
  const Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[4] dead = {1, 2, 3, 4}>
      { d = Neg(dead) y = Add(x, w) })")
                          .value();
  auto plan = plan_capabilities({}, {"constant-folding"}).value();
  const auto outcome = optimize(tools(), model, plan);
  ASSERT_TRUE(outcome) << outcome.error().what;
  EXPECT_EQ(outcome->report.bytes_after, 8u);
}

TEST_F(Optimize, FoldsWeightsThatOldExportersDeclareAsInputs) {
  const Model model = parse_text(R"(<ir_version: 3, opset_import: ["": 17]>
          g (float[1,1,2,2] x, float[1,1,1,1] w = {2}, float[1] scale = {3}, float[1] shift = {1},
             float[1] mean = {0.5}, float[1] var = {4}) => (float[1,1,2,2] y)
          { t = Conv(x, w) y = BatchNormalization(t, scale, shift, mean, var) })")
                          .value();
  const OptimizeOutcome outcome = optimized(model, {"conv-bn-fusion"});
  EXPECT_EQ(outcome.report.op_changes.at("BatchNormalization"), -1);
  EXPECT_EQ(outcome.result.model.graph->inputs().size(), 1u);
  EXPECT_GE(outcome.result.model.ir_version, 4);
  EXPECT_TRUE(outcome.report.verified->holds);
  EXPECT_THAT(outcome.report.notes, Contains(HasSubstr("5 weights could be handed in as inputs")));
}

TEST_F(Optimize, KeepsAnInputThatHasADefaultAmongWeightsThatAreConstants) {
  const Model model = parse_text(R"(<opset_import: ["": 17]>
          g (float[2] x, float[2] bias = {1, 2}) => (float[2] y) <float[2] w = {3, 4}>
          { t = Mul(x, w) y = Add(t, bias) })")
                          .value();
  const OptimizeOutcome outcome = optimized(model, {});
  EXPECT_EQ(outcome.result.model.graph->inputs().size(), 2u);
  EXPECT_THAT(outcome.report.notes, Not(Contains(HasSubstr("inputs"))));
}

TEST_F(Optimize, RefusesNamesItDoesNotKnowWithTheNearest) {
  const auto plan = plan_capabilities({"gelu-fuson"}, {});
  EXPECT_EQ(plan.error().what, "there is no capability 'gelu-fuson'");
  EXPECT_EQ(plan.error().hint, "did you mean 'gelu-fusion'?");
}

TEST_F(Optimize, RefusesToDisableWhatAnotherNeeds) {
  const auto plan = plan_capabilities({"bias-gelu-fusion"}, {"gelu-fusion"});
  EXPECT_EQ(plan.error().what, "'gelu-fusion' cannot be disabled");
  EXPECT_EQ(plan.error().cause, "'bias-gelu-fusion' needs it");
}

TEST_F(Optimize, TakesNamesOfJsonAsWell) {
  EXPECT_EQ(find_capability("gelu_fusion").value()->name, "gelu-fusion");
}

TEST_F(Optimize, LeavesOutWhatBreaksTheModelAndKeepsTheRest) {
  // 48,000 is a rate and no mask: it may not become 1,000.
  const Model model = parse_text(R"(<opset_import: ["": 17]>
          g (float[1,1,2,2] x) => (float[1,1,2,2] y)
          <float[1,1,1,1] w = {2}, float[1] scale = {3}, float[1] shift = {1},
           float[1] mean = {0.5}, float[1] var = {4}, float rate = {48000}>
          { t = Conv(x, w) u = BatchNormalization(t, scale, shift, mean, var) y = Mul(u, rate) })")
                          .value();
  const OptimizeOutcome outcome = optimized(model, {"clamp-constant-values", "conv-bn-fusion"});
  EXPECT_TRUE(outcome.report.verified->holds);
  const auto& effects = outcome.report.capabilities;
  EXPECT_EQ(effects.at("clamp_constant_values").left_out_because,
            "with it outputs differ by 9.8e-01 of their largest value");
  EXPECT_TRUE(effects.at("clamp_constant_values").asked);
  EXPECT_FALSE(effects.at("conv_bn_fusion").left_out_because);
  EXPECT_EQ(outcome.report.op_changes.at("BatchNormalization"), -1);
}

TEST_F(Optimize, ChecksEachCapabilityAlone) {
  const auto checks = check_capabilities(tools(), tiny("bert-cls"));
  ASSERT_TRUE(checks) << checks.error().what;
  std::map<std::string, bool> changes;
  for (const CapabilityCheck& check : *checks) {
    EXPECT_FALSE(check.error) << check.capability << ": " << check.error.value_or("");
    changes[check.capability] = check.changes;
  }
  EXPECT_EQ(changes.size(), all_capabilities().size());
  EXPECT_TRUE(changes.at("gelu_fusion"));
  EXPECT_TRUE(changes.at("skip_layer_norm_fusion"));
  EXPECT_FALSE(changes.at("conv_bn_fusion"));
}

constexpr auto gelu_by_hand = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[64] x) => (float[64] y)
    <float root = {1.4142135}, float one = {1}, float half = {0.5}>
    { d = Div(x, root) e = Erf(d) a = Add(e, one) m = Mul(x, a) y = Mul(m, half) })";

TEST_F(Optimize, FindsTheOptimizerThatMovesTheNumbers) {
  const Model model = parse_text(gelu_by_hand).value();
  const auto samples = samples_for(model, {}).value();
  const auto report = bisect_optimizers(tools(), model, samples, {.promise = Numerics::bitwise});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->levels.back().level, "extended") << "the search ends where it is found";
  EXPECT_GT(report->levels.back().relative.value(), 0);
  ASSERT_EQ(report->suspects.size(), 1u);
  EXPECT_EQ(report->suspects.front().optimizer, "GeluFusionL2");
  EXPECT_EQ(report->suspects.front().relative_without, 0);
  EXPECT_LT(report->steps, 20u) << "of some sixty optimizers";
}

TEST_F(Optimize, TellsWhatIsKnownWhenABisectionIsStopped) {
  const Model model = parse_text(gelu_by_hand).value();
  const auto samples = samples_for(model, {}).value();
  std::atomic<bool> stop = false;
  TransformTools stopping = tools();
  stopping.progress = [&](const std::string& step) {
    stop = stop || step.find("level extended") != std::string::npos;
  };
  const auto report =
      bisect_optimizers(stopping, model, samples, {.promise = Numerics::bitwise, .stop = &stop});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_TRUE(report->is_interrupted);
  EXPECT_EQ(report->levels.size(), 2u);
  EXPECT_EQ(report->steps, 2u);
}

TEST_F(Optimize, SuspectsNobodyWhenNumbersAreWithinTheTolerance) {
  const Model model = parse_text(gelu_by_hand).value();
  const auto report = bisect_optimizers(tools(), model, samples_for(model, {}).value());
  EXPECT_EQ(report->levels.size(), 3u);
  EXPECT_TRUE(report->suspects.empty());
}

}  // namespace
}  // namespace hone
