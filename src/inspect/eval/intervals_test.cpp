#include "inspect/eval/intervals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

constexpr double close = 1e-4;

// --- What is published

TEST(WilsonInterval, IsThePublishedOne) {
  // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  const auto expect = [](std::uint64_t hits, std::uint64_t count, double low, double high) {
    const Estimate estimate = wilson_interval(hits, count);
    EXPECT_NEAR(estimate.low, low, close);
    EXPECT_NEAR(estimate.high, high, close);
  };
  expect(81, 263, 0.2553, 0.3662);
  expect(15, 148, 0.0624, 0.1605);
  expect(0, 20, 0.0000, 0.1611);
  expect(1, 29, 0.0061, 0.1718);
}

TEST(TangoInterval, WhereTheModelsNeverDisagreeIsOneOfTheNumberOfSamples) {
  // z2 / (n + z2), with z of one side of 95 %.
  const double z2 = 1.644853626951472 * 1.644853626951472;
  for (const double count : {10.0, 300.0, 5000.0}) {
    const MetricDifference difference = tango_interval(0, 0, static_cast<std::uint64_t>(count));
    EXPECT_DOUBLE_EQ(difference.value, 0);
    EXPECT_NEAR(difference.low, -z2 / (count + z2), 1e-9);
    EXPECT_NEAR(difference.high, z2 / (count + z2), 1e-9);
  }
}

// --- Properties

TEST(Intervals, HoldTheirOwnValueAndStayInRange) {
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t count = 1 + random.below(400);
    const Estimate share = wilson_interval(random.below(count + 1), count);
    EXPECT_LE(0, share.low);
    EXPECT_LE(share.low, share.value);
    EXPECT_LE(share.value, share.high);
    EXPECT_LE(share.high, 1);
    const std::uint64_t lost = random.below(count + 1);
    const std::uint64_t gained = random.below(count - lost + 1);
    const MetricDifference difference = tango_interval(lost, gained, count);
    EXPECT_LE(-1 - 1e-9, difference.low);
    EXPECT_LE(difference.low, difference.value + 1e-9);
    EXPECT_LE(difference.value, difference.high + 1e-9);
    EXPECT_LE(difference.high, 1 + 1e-9);
  }
}

TEST(TangoInterval, IsMirroredWhenTheModelsAreSwapped) {
  const MetricDifference one = tango_interval(12, 3, 200);
  const MetricDifference other = tango_interval(3, 12, 200);
  EXPECT_NEAR(one.low, -other.high, 1e-12);
  EXPECT_NEAR(one.high, -other.low, 1e-12);
}

TEST(BootstrapInterval, IsTheSameForASeedAndShiftsWithItsValues) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32};
  const Estimate one = bootstrap_interval(values, 7);
  const Estimate again = bootstrap_interval(values, 7);
  EXPECT_EQ(one.low, again.low);
  EXPECT_EQ(one.high, again.high);
  std::vector<double> shifted = values;
  for (double& value : shifted) value += 100;
  EXPECT_NEAR(bootstrap_interval(shifted, 7).low, one.low + 100, 1e-9);
}

// --- Coverage: how often the truth is inside, in simulated experiments

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) *
         std::cos(6.283185307179586 * random.uniform());
}

// A model and its reference on one sample: right in both, lost, gained, or in neither.
struct Truth {
  double lost = 0;
  double gained = 0;
};

// The share of experiments whose lower bound is below the true difference.
double coverage_of_lower_bound(const Truth& truth, std::uint64_t count) {
  constexpr int experiments = 2000;
  Random random(11);
  int covered = 0;
  for (int i = 0; i < experiments; ++i) {
    std::uint64_t lost = 0;
    std::uint64_t gained = 0;
    for (std::uint64_t sample = 0; sample < count; ++sample) {
      const double draw = random.uniform();
      lost += draw < truth.lost ? 1 : 0;
      gained += draw >= truth.lost && draw < truth.lost + truth.gained ? 1 : 0;
    }
    const double low = tango_interval(lost, gained, count).low;
    covered += low <= truth.gained - truth.lost ? 1 : 0;
  }
  return static_cast<double>(covered) / experiments;
}

TEST(TangoInterval, IsAboveTheTruthInAboutOneOfTwentyExperiments) {
  // 2000 experiments tell 95 % to about one percent; a discrete count cannot hit it exactly.
  for (const Truth& truth : {Truth{0.02, 0.01}, Truth{0.05, 0.05}, Truth{0.2, 0.02}}) {
    EXPECT_GE(coverage_of_lower_bound(truth, 200), 0.93) << truth.lost << " " << truth.gained;
  }
}

TEST(TangoInterval, RarelyExcludesADropThatIsThere) {
  // A model that is worse by exactly the margin must not pass more often than one time in twenty.
  EXPECT_GE(coverage_of_lower_bound({0.01, 0}, 300), 0.93);
}

TEST(WilsonInterval, HoldsTheTruthInAboutNineteenOfTwentyExperiments) {
  constexpr int experiments = 2000;
  for (const double truth : {0.02, 0.5, 0.97}) {
    Random random(5);
    int covered = 0;
    for (int i = 0; i < experiments; ++i) {
      std::uint64_t hits = 0;
      for (int sample = 0; sample < 100; ++sample) hits += random.uniform() < truth ? 1 : 0;
      const Estimate estimate = wilson_interval(hits, 100);
      covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(covered) / experiments, 0.95, 0.04) << truth;
  }
}

TEST(BootstrapInterval, HoldsTheTruthInAboutNineteenOfTwentyExperiments) {
  constexpr int experiments = 200;
  Random random(13);
  int covered = 0;
  for (int i = 0; i < experiments; ++i) {
    std::vector<double> values(40);
    for (double& value : values) value = 3 + normal(random);
    const Estimate estimate = bootstrap_interval(values, static_cast<std::uint64_t>(i));
    covered += estimate.low <= 3 && 3 <= estimate.high ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(covered) / experiments, 0.94, 0.05);
}

// --- The verdict

InferiorityVerdict verdict_on(std::uint64_t lost, std::uint64_t gained, std::uint64_t count,
                              double max_drop) {
  EvalMetric metric;
  metric.name = "top1";
  metric.model.samples = count;
  metric.difference = tango_interval(lost, gained, count);
  return judge_inferiority(metric, max_drop);
}

TEST(Inferiority, IsExcludedOnlyWhenTheSamplesAreEnough) {
  EXPECT_EQ(verdict_on(0, 0, 300, 0.01).verdict, Inferiority::pass);
  const InferiorityVerdict few = verdict_on(0, 0, 100, 0.01);
  EXPECT_EQ(few.verdict, Inferiority::inconclusive);
  ASSERT_TRUE(few.samples_needed);
  EXPECT_NEAR(static_cast<double>(*few.samples_needed), 268, 1);
}

TEST(Inferiority, IsExcludedByTheNumberOfSamplesItAskedFor) {
  const InferiorityVerdict few = verdict_on(2, 1, 150, 0.02);
  ASSERT_EQ(few.verdict, Inferiority::inconclusive);
  const std::uint64_t times = *few.samples_needed / 150 + 1;
  EXPECT_EQ(verdict_on(2 * times, times, 150 * times, 0.02).verdict, Inferiority::pass);
}

TEST(Inferiority, IsShownByALargeDrop) {
  EXPECT_EQ(verdict_on(50, 0, 300, 0.01).verdict, Inferiority::fail);
}

TEST(Inferiority, HasNoNumberOfSamplesWhereMoreWouldNotHelp) {
  const InferiorityVerdict verdict = verdict_on(4, 1, 300, 0.01);
  EXPECT_EQ(verdict.verdict, Inferiority::inconclusive);
  EXPECT_FALSE(verdict.samples_needed);
}

}  // namespace
}  // namespace hone
