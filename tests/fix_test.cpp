// Which nodes have to stay in float: found on the real ONNX Runtime in a model where the culprit is
// known, and found again from a journal.

#include "pipeline/fix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"
#include "transform/verify.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three MatMuls. The weights of the second have an outlier that leaves 8 bits nothing for the rest.
constexpr auto chain =
    "<opset_import: [\"\": 17]> g (float[8,4] x) => (float[8,4] y) <"
    "float[4,4] a = {1, -0.5, 0.2, 0.1, -0.3, 0.8, 0.4, -0.6, 0.2, 0.3, -0.9, 0.7, 0.5, -0.1, 0.6, "
    "1},"
    "float[4,4] b = {0.1, 0.2, -0.1, 900, -0.2, 0.1, 0.3, 0.1, 0.2, -0.3, 0.1, 0.2, 0.3, 0.1, "
    "-0.2, 0.1},"
    "float[4,4] c = {0.5, 0.2, -0.7, 0, 0.3, -0.8, 0.1, 0, -0.4, 0.6, 0.9, 0, 0.2, 0.1, 0.3, 1}> {"
    "[first] s = MatMul(x, a) [second] t = MatMul(s, b) [cut] u = Clip(t, low, high)"
    "[third] y = MatMul(u, c) }";

class Fixing : public testing::Test {
 protected:
  void SetUp() override {
    std::string text = chain;
    text.replace(text.find("<float[4,4] a"), 1, "<float low = {-3}, float high = {3}, ");
    const Model model = parse_text(text).value();
    ASSERT_TRUE(save_model(model, model_));
    plan_.quantize.model = model_;
    plan_.quantize.precisions = {find_precision("w8a8")};
    plan_.quantize.settings.preset = *find_preset("qnn");
    plan_.quantize.samples = 8;
    plan_.tools = {onnxruntime(), HONE_EP_LIBRARY, {}};
    plan_.folder = folder_.path();
    plan_.journal = folder_.path() / "journal.json";
    plan_.score_name = "sqnr_db";
    plan_.score =
        score_by_sqnr(onnxruntime(), model_, samples_for(model, {"", "", 1, 4}).value()).value();
    plan_.rank_score = plan_.score;
    plan_.candidates = quantized_nodes(plan_).value();
  }

  TemporaryFolder folder_ = TemporaryFolder::create("fix").value();
  const Path model_ = folder_.path() / "model.onnx";
  FixPlan plan_;
};

TEST_F(Fixing, FindsTheNodeThatDoesTheDamage) {
  plan_.target = 25;
  const FixResult result = find_fix(plan_).value();
  EXPECT_LT(result.before, 20);
  EXPECT_TRUE(result.is_reached) << result.after;
  EXPECT_THAT(result.float_nodes, ElementsAre("second"));
  EXPECT_GE(result.after, 25);
}

TEST_F(Fixing, KeepsNothingInFloatWhereNothingIsWrong) {
  plan_.target = -10;
  const FixResult result = find_fix(plan_).value();
  EXPECT_TRUE(result.is_reached);
  EXPECT_THAT(result.float_nodes, IsEmpty());
  EXPECT_EQ(result.trials, 1u);
}

TEST_F(Fixing, GivesTheBestThereIsWhenTheTargetIsOutOfReach) {
  plan_.target = 1000;
  const FixResult result = find_fix(plan_).value();
  EXPECT_FALSE(result.is_reached);
  EXPECT_GT(result.after, result.before);
}

TEST_F(Fixing, TakesALargerSetWhereTheSmallestFailsOnDataThatChoseNothing) {
  plan_.target = 25;
  plan_.held_out_target = 1;
  std::vector<std::size_t> asked;
  plan_.held_out_score = [&](const Path& model) -> Result<double> {
    HONE_TRY(const Model made, load_model(model));
    asked.push_back(made.graph->nodes().size());
    return asked.size() < 2 ? 0.5 : 1.0;
  };
  const FixResult result = find_fix(plan_).value();
  EXPECT_TRUE(result.is_reached);
  EXPECT_EQ(result.held_out, 1.0);
  EXPECT_EQ(asked.size(), 2U);
  EXPECT_GT(result.float_nodes.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(asked, std::greater<>())) << "fewer nodes in float come first";
}

TEST_F(Fixing, DoesNotReachATargetThatNoSetReachesOnHeldOutData) {
  plan_.target = 25;
  plan_.held_out_target = 1;
  plan_.held_out_score = [](const Path&) -> Result<double> { return 0.5; };
  EXPECT_FALSE(find_fix(plan_).value().is_reached);
}

TEST_F(Fixing, TriesNothingTwiceAfterAnInterruption) {
  plan_.target = 25;
  const FixResult first = find_fix(plan_).value();
  const FixResult second = find_fix(plan_).value();
  EXPECT_EQ(second.trials, 0u);
  EXPECT_EQ(second.trials_known, first.trials);
  EXPECT_EQ(second.float_nodes, first.float_nodes);
  EXPECT_EQ(second.after, first.after);
}

TEST_F(Fixing, WritesOverridesThatRebuildTheSameBytes) {
  plan_.target = 25;
  const FixResult result = find_fix(plan_).value();
  const Path overrides = folder_.path() / "overrides.json";
  ASSERT_TRUE(write_fix(overrides, result.float_nodes));
  QuantizeRecipe recipe;
  recipe.precisions = {"w8a8"};
  recipe.preset = "qnn";
  recipe.samples = 8;
  recipe.overrides = overrides.string();
  std::string bytes[2];
  for (std::string& made : bytes) {
    QuantizeRequest request = request_of(recipe).value();
    request.model = model_;
    request.output = folder_.path() / "rebuilt.onnx";
    request.overwrite = true;
    ASSERT_TRUE(quantize_file(request, plan_.tools));
    made = read_file(request.output).value();
    EXPECT_EQ(plan_.score(request.output).value(), result.after);
  }
  EXPECT_TRUE(bytes[0] == bytes[1]);
}

// --- Half precision

// In the middle numbers are beyond float16, moved, and brought back.
constexpr auto beyond_half =
    "<opset_import: [\"\": 17]> g (float[8,4] x) => (float[8,4] y) <"
    "float[4,4] a = {1, -0.5, 0.2, 0.1, -0.3, 0.8, 0.4, -0.6, 0.2, 0.3, -0.9, 0.7, 0.5, -0.1, 0.6, "
    "1}, float k = {1000}, float b = {60000}, int64[2] s = {4, 8}, int64[2] z = {8, 4}> {"
    "[first] p = MatMul(x, a) [up] q = Mul(p, k) [over] r = Mul(q, b) [move] t = Reshape(r, s)"
    "[back] u = Div(t, b) [down] v = Div(u, k) [shape] w = Reshape(v, z) [last] y = Tanh(w) }";

class FixingHalves : public testing::Test {
 protected:
  void SetUp() override {
    const Model model = parse_text(beyond_half).value();
    ASSERT_TRUE(save_model(model, model_));
    plan_.quantize.model = model_;
    plan_.quantize.precisions = {find_precision("fp16")};
    plan_.tools = {onnxruntime(), HONE_EP_LIBRARY, {}};
    plan_.folder = folder_.path();
    plan_.score_name = "sqnr_db";
    plan_.score = score_by_sqnr(onnxruntime(), model_, samples_for(model, {"", "", 1, 4}).value(),
                                {.rounds_halves = true})
                      .value();
    plan_.rank_score = plan_.score;
    plan_.candidates = quantized_nodes(plan_).value();
    std::ranges::stable_partition(plan_.candidates,
                                  [](const std::string& name) { return name == "over"; });
    keep_together(model, plan_);
  }

  TemporaryFolder folder_ = TemporaryFolder::create("fix").value();
  const Path model_ = folder_.path() / "model.onnx";
  FixPlan plan_;
};

TEST_F(FixingHalves, KeepsAllWhoTouchTheTensorThatOverflowsInFloatAndNobodyElse) {
  plan_.target = 50;
  const FixResult result = find_fix(plan_).value();
  EXPECT_LT(result.before, 0);
  EXPECT_TRUE(result.is_reached) << result.after;
  EXPECT_THAT(result.float_nodes, ElementsAre("back", "move", "over"));
}

TEST_F(FixingHalves, WritesOverridesThatGiveTheSameScore) {
  plan_.target = 50;
  const FixResult result = find_fix(plan_).value();
  const Path overrides = folder_.path() / "overrides.json";
  ASSERT_TRUE(write_fix(overrides, result.float_nodes));
  QuantizeRecipe recipe;
  recipe.precisions = {"fp16"};
  recipe.overrides = overrides.string();
  QuantizeRequest request = request_of(recipe).value();
  request.model = model_;
  request.output = folder_.path() / "rebuilt.onnx";
  ASSERT_TRUE(quantize_file(request, plan_.tools).value().written);
  EXPECT_EQ(plan_.score(request.output).value(), result.after);
}

// ONNX Runtime's CPU EP leaves roundings out that nobody looks at: as it runs there, nothing is
// wrong with the model.
TEST_F(FixingHalves, ScoresWhatADeviceWithHalfPrecisionIsLeftWith) {
  QuantizeRequest request = plan_.quantize;
  request.output = folder_.path() / "all.onnx";
  request.verifies = false;
  ASSERT_TRUE(quantize_file(request, plan_.tools));
  EXPECT_LT(plan_.score(request.output).value(), 0);
  const Score as_it_ships =
      score_by_sqnr(onnxruntime(), model_,
                    samples_for(load_model(model_).value(), {"", "", 1, 4}).value())
          .value();
  EXPECT_GT(as_it_ships(request.output).value(), 30);
}

}  // namespace
}  // namespace hone
