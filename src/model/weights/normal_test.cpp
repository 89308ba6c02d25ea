#include "model/weights/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/weights/moments.h"

namespace hone {
namespace {

std::vector<double> draw(std::size_t count, std::uint64_t seed = 7, std::string_view name = "w") {
  std::vector<double> numbers(count);
  NormalStream(seed, name).fill(0, numbers);
  return numbers;
}

double probability_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(NormalStream, HasMean0AndDeviation1) {
  const std::vector<double> numbers = draw(4'000'000);
  Moments moments;
  moments.add(numbers);
  // Four standard errors of 4 million numbers.
  EXPECT_NEAR(moments.mean(), 0, 4 / std::sqrt(4e6));
  EXPECT_NEAR(moments.deviation(), 1, 4 / std::sqrt(8e6));
}

TEST(NormalStream, FollowsTheNormalDistributionEverywhere) {
  std::vector<double> numbers = draw(1'000'000);
  std::ranges::sort(numbers);
  double largest_gap = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = probability_below(numbers[i]);
    const double observed = (static_cast<double>(i) + 0.5) / static_cast<double>(numbers.size());
    largest_gap = std::max(largest_gap, std::fabs(expected - observed));
  }
  // Kolmogorov's distance at which one of a thousand true samples would be rejected.
  EXPECT_LT(largest_gap, 1.95 / std::sqrt(1e6));
}

TEST(NormalStream, HasTailsAsOftenAsItShould) {
  const std::vector<double> numbers = draw(8'000'000);
  for (const double limit : {2.0, 3.0, 4.0, 4.5}) {
    const auto beyond = static_cast<double>(
        std::ranges::count_if(numbers, [&](double x) { return std::fabs(x) > limit; }));
    const double expected = 8e6 * 2 * probability_below(-limit);
    EXPECT_NEAR(beyond, expected, 4 * std::sqrt(expected)) << limit;
  }
  EXPECT_LT(std::fabs(*std::ranges::max_element(numbers)), 6.3);
}

TEST(NormalStream, NeighboursHaveNothingToDoWithEachOther) {
  const std::vector<double> numbers = draw(1'000'000);
  for (const std::size_t distance : {1u, 2u, 3u, 64u}) {
    double sum = 0;
    for (std::size_t i = distance; i < numbers.size(); ++i)
      sum += numbers[i] * numbers[i - distance];
    EXPECT_LT(std::fabs(sum / 1e6), 4 / std::sqrt(1e6)) << distance;
  }
}

TEST(NormalStream, APartIsTheSameAsThatPartOfTheWhole) {
  const std::vector<double> whole = draw(1001);
  for (const std::uint64_t first : {0u, 2u, 500u, 1000u}) {
    std::vector<double> part(whole.size() - first);
    NormalStream(7, "w").fill(first, part);
    EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(first))) << first;
  }
}

TEST(NormalStream, AnotherSeedOrNameIsAnotherStream) {
  EXPECT_EQ(draw(16), draw(16));
  EXPECT_NE(draw(16), draw(16, 8));
  EXPECT_NE(draw(16), draw(16, 7, "v"));
}

// The bytes of hydrated models rest on these: they are the same on every machine and for ever.
TEST(NormalStream, TheFirstNumbersAreThoseRecordedHere) {
  const std::vector<double> numbers = draw(4, 0, "w");
  EXPECT_EQ(numbers, (std::vector<double>{0x1.9c06108ce0376p-2, -0x1.18b64183adb04p-1,
                                          -0x1.2d66563d3493ap-2, -0x1.35869a259d83ep+0}));
}

}  // namespace
}  // namespace hone
