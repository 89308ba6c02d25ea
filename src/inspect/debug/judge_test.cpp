#include "inspect/debug/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::DoubleNear;
using testing::Optional;

// A ramp from `low` to `high`, rounded by a grid: 8 bits from `from` to `to`.
struct Rounded {
  ErrorSums sums;
  UniformGrid grid;
};

Rounded round_ramp(double low, double high, double from, double to) {
  Rounded made;
  made.grid = {.scale = (to - from) / 255, .zero_point = 0, .bits = 8, .low = from, .high = to};
  std::vector<double> x, y;
  for (int i = 0; i <= 10000; ++i) {
    x.push_back(low + (high - low) * i / 10000);
    const double kept = std::clamp(x.back(), from, to);
    y.push_back(from + std::nearbyint((kept - from) / made.grid.scale) * made.grid.scale);
  }
  made.sums.add(std::span<const double>(x), std::span<const double>(y));
  return made;
}

ActivationLoss judged(const Rounded& rounded) {
  ActivationLoss loss;
  judge(rounded.sums, rounded.sums, rounded.grid, loss);
  return loss;
}

TEST(Judge, ExpectsWhatAUniformQuantizerKeeps) {
  const ActivationLoss loss = judged(round_ramp(-1, 1, -1, 1));
  // 6.02 b + 4.77 - 20 log10(R / rms), and a ramp's rms is R / sqrt(3).
  EXPECT_THAT(loss.expected_sqnr_db, Optional(DoubleNear(6.02 * 8 + 4.77 - 4.77, 0.1)));
  EXPECT_THAT(loss.excess_loss_db, Optional(DoubleNear(0, 0.1)));
  EXPECT_EQ(loss.cause, std::nullopt);
}

TEST(Judge, NamesClippingWhenNumbersLieBeyondTheRange) {
  EXPECT_THAT(judged(round_ramp(-1, 1, -0.5, 0.5)).cause, Optional(LossCause::clipping));
}

TEST(Judge, NamesTheRangeWhenItIsMuchWiderThanTheNumbers) {
  const ActivationLoss loss = judged(round_ramp(-1, 1, -8, 8));
  EXPECT_THAT(loss.cause, Optional(LossCause::wrong_range));
  EXPECT_THAT(loss.excess_loss_db, Optional(DoubleNear(18.06, 0.5)));
}

TEST(Judge, NamesTheKernelWhenNeitherExplainsTheNoise) {
  Rounded rounded = round_ramp(-1, 1, -1, 1);
  rounded.sums.noise *= 100;
  EXPECT_THAT(judged(rounded).cause, Optional(LossCause::kernel));
}

ActivationLoss loss_with(double local, double cumulative, double excess = 0) {
  ActivationLoss loss;
  loss.local_sqnr_db = local;
  loss.cumulative_sqnr_db = cumulative;
  loss.excess_loss_db = excess;
  return loss;
}

std::vector<LossClass> classes(std::vector<ActivationLoss> losses,
                               const std::vector<std::vector<std::size_t>>& inputs) {
  classify(inputs, losses);
  std::vector<LossClass> found;
  for (const ActivationLoss& loss : losses) found.push_back(loss.loss_class);
  return found;
}

TEST(Classify, CallsATensorThatMakesHalfOfItsNoiseAnOriginatorAndItsReadersInheritors) {
  EXPECT_THAT(classes({loss_with(24, 23.5), loss_with(45, 23)}, {{}, {0}}),
              testing::ElementsAre(LossClass::originator, LossClass::inheritor));
}

TEST(Classify, CallsWhatKeepsFortyDecibelsClean) {
  EXPECT_THAT(classes({loss_with(45, 44)}, {{}}), testing::ElementsAre(LossClass::clean));
}

TEST(Classify, CallsATensorThatWastesTwoBitsAnOriginatorHoweverManyItHas) {
  EXPECT_THAT(classes({loss_with(67, 55, 18), loss_with(85, 55)}, {{}, {0}}),
              testing::ElementsAre(LossClass::originator, LossClass::inheritor));
}

TEST(Classify, CallsATensorThatADamagedOnePushesOutOfItsRangeAnInheritor) {
  const ActivationLoss pushed = loss_with(30, 10, 20);
  EXPECT_THAT(classes({loss_with(10, 10), pushed}, {{}, {0}}),
              testing::ElementsAre(LossClass::originator, LossClass::inheritor));
  EXPECT_THAT(classes({loss_with(50, 50), pushed}, {{}, {0}}),
              testing::ElementsAre(LossClass::clean, LossClass::originator));
}

TEST(BlameWeights, MakesANodeWithBadWeightsBehindACleanInputTheOriginator) {
  std::vector<ActivationLoss> losses = {loss_with(50, 50), loss_with(45, 20), loss_with(45, 18)};
  losses[1].node = "conv";
  losses[2].node = "next";
  const std::vector<std::vector<std::size_t>> inputs = {{}, {0}, {1}};
  const auto weight = [](std::string node, double decibels) {
    WeightLoss loss;
    loss.node = std::move(node);
    loss.weight_sqnr_db = decibels;
    return loss;
  };
  classify(inputs, losses);
  blame_weights(inputs, {weight("conv", 55), weight("next", 17)}, losses);
  EXPECT_EQ(losses[1].loss_class, LossClass::inheritor) << "good weights";
  EXPECT_EQ(losses[2].loss_class, LossClass::inheritor) << "its input is as noisy";
  blame_weights(inputs, {weight("conv", 17)}, losses);
  EXPECT_EQ(losses[1].loss_class, LossClass::originator);
  EXPECT_THAT(losses[1].cause, Optional(LossCause::weights));
  EXPECT_EQ(losses[2].loss_class, LossClass::inheritor);
}

TEST(Summarize, TakesTheDeviationOfTheWholePopulation) {
  const LossSummary summary = summarize({80, std::nullopt, 20});
  EXPECT_EQ(summary.count, 2U);
  EXPECT_EQ(summary.mean, 50);
  EXPECT_EQ(summary.std, 30);
  EXPECT_EQ(summary.min, 20);
  EXPECT_EQ(summary.max, 80);
}

TEST(Summarize, HasNothingToSayAboutNothing) {
  const LossSummary summary = summarize({std::nullopt});
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.mean, std::nullopt);
  EXPECT_EQ(summary.max, std::nullopt);
}

TEST(Layer, IsTheScopeUpToItsLastNumber) {
  EXPECT_EQ(layer_of("/m/encoder/layer.3/attention/self/MatMul"), "m/encoder/layer.3");
  EXPECT_EQ(layer_of("/m/pooler/Gemm_1"), "m/pooler");
  EXPECT_EQ(layer_of("Gemm_1"), "");
  EXPECT_EQ(layer_of(""), "");
}

}  // namespace
}  // namespace hone
