// What half precision has room for, and what a model looks like that rounds to it.

#include "inspect/debug/half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/debug/judge_half.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;

Model model_of(const std::string& graph) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\": 17]> g " + graph);
  EXPECT_TRUE(model) << model.error().what << " " << model.error().cause;
  return *std::move(model);
}

TEST(HalfLimits, AreThoseOfTheTypes) {
  const HalfLimits half = half_limits(ElementType::float16);
  EXPECT_EQ(half.largest, 65504);
  EXPECT_EQ(half.overflows_from, 65520);
  EXPECT_EQ(half.smallest_normal, 0x1p-14);
  EXPECT_EQ(half.underflows_to, 0x1p-25);
  const HalfLimits brain = half_limits(ElementType::bfloat16);
  EXPECT_EQ(brain.largest, 0x1.FEp127);
  EXPECT_EQ(brain.underflows_to, 0x1p-134);
}

TEST(RangeCounts, TellWhatHasNoRoom) {
  const std::vector<float> numbers = {0, 1, 65504, 65519, -65520, 1e30F, 1e-5F, 1e-8F, -1e-9F};
  RangeCounts counts;
  ASSERT_TRUE(counts.add(*make_float_tensor("t", numbers), ElementType::float16));
  EXPECT_EQ(counts.numbers, 8U);
  EXPECT_EQ(counts.overflow, 2U);
  EXPECT_EQ(counts.underflow, 2U);
  EXPECT_EQ(counts.subnormal, 1U);
  EXPECT_EQ(counts.largest, 1e30F);
  EXPECT_FALSE(counts.is_mostly_small());
}

TEST(HalfSqnr, IsWhatTheDigitsOfTheTypeLeave) {
  EXPECT_NEAR(expected_half_sqnr_db(ElementType::float16), 73.7, 0.05);
  EXPECT_NEAR(expected_half_sqnr_db(ElementType::bfloat16), 55.6, 0.05);
}

std::vector<std::string> ops_of(const Model& model) {
  std::vector<std::string> ops;
  for (const Node& node : model.graph->nodes()) {
    const auto to = static_cast<ElementType>(node.int_or("to", 0));
    ops.push_back(node.op_type + (node.is("Cast") ? " " + name_of(to) : ""));
  }
  return ops;
}

TEST(RoundHalves, RoundsBehindWhatComputesAndNotBehindWhatMoves) {
  Model model = model_of(
      "(float[2,2] x) => (float[4] y) <float16[2,2] w = {1, 2, 3, 4}, int64[1] s = {4}>"
      "{ a = Cast<to = 10>(x) b = MatMul(a, w) c = Reshape(b, s) y = Cast<to = 1>(c) }");
  const auto halves = round_halves(model);
  ASSERT_TRUE(halves) << halves.error().what;
  EXPECT_THAT(ops_of(model), ElementsAre("Cast float16", "Cast float", "MatMul", "Cast float16",
                                         "Cast float", "Reshape", "Cast float"));
  ASSERT_EQ(halves->tensors.size(), 2U);
  EXPECT_EQ(halves->tensors[0].before->name(), "x");
  EXPECT_EQ(halves->tensors[0].in_half, nullptr);
  EXPECT_EQ(halves->tensors[1].after->name(), "b");
  ASSERT_EQ(halves->weights.size(), 1U);
  EXPECT_EQ(halves->weights[0].stored->type, ElementType::float16);
  EXPECT_EQ(model.graph->find("w")->initializer()->type, ElementType::float32);
}

TEST(RoundHalves, TakesHalfInputsAsFloatsAndRoundsThem) {
  Model model = model_of("(float16[2] x) => (float16[2] y) { y = Tanh(x) }");
  const auto halves = round_halves(model);
  ASSERT_TRUE(halves) << halves.error().what;
  EXPECT_EQ(model.graph->inputs()[0]->type.element, ElementType::float32);
  EXPECT_EQ(model.graph->outputs()[0]->type.element, ElementType::float32);
  EXPECT_THAT(ops_of(model),
              ElementsAre("Cast float16", "Cast float", "Tanh", "Cast float16", "Cast float"));
}

TEST(RoundHalves, LeavesAModelInFloatAsItIs) {
  Model model = model_of("(float[2] x) => (float[2] y) { y = Tanh(x) }");
  EXPECT_FALSE(has_half(model));
  const auto halves = round_halves(model);
  ASSERT_TRUE(halves);
  EXPECT_TRUE(halves->tensors.empty());
  EXPECT_THAT(ops_of(model), ElementsAre("Tanh"));
}

// --- Classes, of a chain of tensors

ActivationLoss tensor(double local, double cumulative) {
  ActivationLoss loss;
  loss.type = "float16";
  loss.local_sqnr_db = local;
  loss.cumulative_sqnr_db = cumulative;
  return loss;
}

ActivationLoss lost(std::uint64_t overflow) {
  ActivationLoss loss;
  loss.type = "float16";
  loss.local_not_finite = 1;
  loss.not_finite = 1;
  loss.overflow = overflow;
  return loss;
}

TEST(HalfClasses, LetAnOverflowBeginWhereItIsAndNotInWhatReadsIt) {
  std::vector<ActivationLoss> losses = {tensor(70, 70), lost(3), lost(0)};
  HalfSummary summary;
  classify_halves({{}, {0}, {1}}, {}, losses, summary);
  EXPECT_EQ(losses[0].loss_class, LossClass::clean);
  EXPECT_EQ(losses[1].loss_class, LossClass::originator);
  EXPECT_EQ(losses[1].cause, LossCause::overflow);
  EXPECT_EQ(losses[2].loss_class, LossClass::inheritor);
}

// What reads it is a number again in the float model, so that the next one looks well.
TEST(HalfClasses, DoNotTakeAnInfinityThatIsHandedOnForHarmless) {
  std::vector<ActivationLoss> losses = {lost(3), lost(0), tensor(70, 70)};
  HalfSummary summary;
  classify_halves({{}, {0}, {1}}, {}, losses, summary);
  EXPECT_EQ(losses[0].loss_class, LossClass::originator);
  EXPECT_EQ(summary.harmless_overflow, 0U);
}

TEST(HalfClasses, BlameWeightsThatLostTheirNumbers) {
  std::vector<ActivationLoss> losses = {tensor(10, 10)};
  losses[0].node = "norm";
  WeightLoss weight;
  weight.node = "norm";
  weight.weight_sqnr_db = 3;
  HalfSummary summary;
  classify_halves({{}}, {weight}, losses, summary);
  EXPECT_EQ(losses[0].loss_class, LossClass::originator);
  EXPECT_EQ(losses[0].cause, LossCause::weights);
}

TEST(HalfClasses, LeaveIntegersAlone) {
  std::vector<ActivationLoss> losses = {tensor(10, 10)};
  losses[0].type = "uint8";
  losses[0].loss_class = LossClass::inheritor;
  HalfSummary summary;
  classify_halves({{}}, {}, losses, summary);
  EXPECT_EQ(losses[0].loss_class, LossClass::inheritor);
}

}  // namespace
}  // namespace hone
