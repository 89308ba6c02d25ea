#include "measure/percentile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace hone {
namespace {

std::vector<double> one_to(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Percentile, NeedsTheSamplesOfTheBinomialTail) {
  EXPECT_EQ(samples_needed(90), 64u);
  EXPECT_EQ(samples_needed(95), 130u);
  EXPECT_EQ(samples_needed(99), 662u);
  EXPECT_EQ(samples_needed(99.9), 6636u);
}

TEST(Percentile, NeedsAreTheSmallestThatMeetTheTailSummedByHand) {
  // P(at most one of n beyond) = q^n + n (1 - q) q^(n - 1).
  const auto too_few = [](double q, double n) {
    return std::pow(q, n) + n * (1 - q) * std::pow(q, n - 1);
  };
  for (const double q : {0.75, 0.9, 0.95, 0.99, 0.999}) {
    const auto needed = static_cast<double>(samples_needed(q * 100));
    EXPECT_LE(too_few(q, needed), 0.01) << q;
    EXPECT_GT(too_few(q, needed - 1), 0.01) << q;
  }
}

TEST(Percentile, NeedsMoreSamplesForMoreConfidence) {
  EXPECT_LT(samples_needed(99, 0.9), samples_needed(99, 0.99));
  EXPECT_LT(samples_needed(99, 0.99), samples_needed(99, 0.999));
}

TEST(Percentile, IsNumpysLinearInterpolation) {
  const std::vector<double> values = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 50), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 90), 6.8);
  EXPECT_DOUBLE_EQ(quantile(values, 100), 8);
  EXPECT_DOUBLE_EQ(quantile(std::vector<double>{5}, 90), 5);
}

TEST(Percentile, IsGivenFromTheFirstSampleCountThatSupportsIt) {
  const Percentile just_enough = percentile(one_to(64), 90);
  EXPECT_EQ(just_enough.name, "p90");
  EXPECT_NEAR(just_enough.value.value(), 57.7, 1e-9);
  EXPECT_EQ(just_enough.reason, "");
}

TEST(Percentile, SaysWhatIsMissingWhenTheSampleDoesNotSupportIt) {
  const Percentile p99 = percentile(one_to(300), 99);
  EXPECT_EQ(p99.value, std::nullopt);
  EXPECT_EQ(p99.reason, "p99 not supported (needs 662 samples, have 300)");
  EXPECT_EQ(percentile(one_to(6635), 99.9).reason,
            "p99.9 not supported (needs 6636 samples, have 6635)");
  EXPECT_EQ(percentile(one_to(63), 90).reason, "p90 not supported (needs 64 samples, have 63)");
}

TEST(Percentile, TakesTheMedianOfOneSampleAndOfNoneNothing) {
  EXPECT_EQ(percentile(one_to(1), 50).value, 1);
  EXPECT_EQ(percentile({}, 50).value, std::nullopt);
  EXPECT_EQ(percentile({}, 50).reason, "p50 not supported (needs 1 sample, have 0)");
}

TEST(RateBound, IsThatOfClopperAndPearson) {
  EXPECT_NEAR(rate_upper_bound(0, 59, 0.95), 0.0495, 1e-4);
  EXPECT_NEAR(rate_upper_bound(0, 119, 0.95), 0.0249, 1e-4);
  EXPECT_NEAR(rate_upper_bound(1, 59, 0.95), 0.0779, 1e-3);
  EXPECT_EQ(rate_upper_bound(0, 0, 0.95), 1);
  EXPECT_EQ(rate_upper_bound(5, 5, 0.95), 1);
}

}  // namespace
}  // namespace hone
