#include "measure/change_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/noise_simulator.h"

namespace hone {
namespace {

std::vector<double> logs_of(const NoiseModel& model, std::size_t count, std::uint64_t seed) {
  std::vector<double> logs = NoiseSimulator(model, seed).session(count);
  for (double& value : logs) value = std::log(value);
  return logs;
}

TEST(ChangePoint, FindsOneSegmentWhereNothingChanges) {
  const auto segments = find_segments(logs_of({}, 100, 1), 0.001);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].begin, 0u);
  EXPECT_EQ(segments[0].end, 100u);
}

TEST(ChangePoint, FindsLevelsWithoutNoiseExactly) {
  const std::vector<double> values = {5, 5, 5, 5, 5, 5, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3};
  const auto segments = find_segments(values, 0.01);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1].begin, 6u);
  EXPECT_EQ(segments[1].end, 12u);
  EXPECT_EQ(segments[0].level, 5);
  EXPECT_EQ(segments[1].level, 2);
  EXPECT_EQ(segments[2].level, 3);
}

TEST(ChangePoint, GivesASpikeNoSegmentOfItsOwn) {
  std::vector<double> values = logs_of({.noise = 0.01}, 60, 3);
  values[20] += 100;
  values[40] += 100;
  EXPECT_EQ(find_segments(values, 0.001).size(), 1u);
}

TEST(ChangePoint, CoversTheSeriesWithoutGaps) {
  const auto segments =
      find_segments(logs_of({.clock_step = 0.2, .clock_change_rate = 0.05}, 200, 6), 0.001);
  EXPECT_GT(segments.size(), 3u);
  std::size_t expected = 0;
  for (const Segment& segment : segments) {
    EXPECT_EQ(segment.begin, expected);
    EXPECT_GT(segment.end, segment.begin);
    expected = segment.end;
  }
  EXPECT_EQ(expected, 200u);
}

TEST(ChangePoint, TakesSeriesOfAnyLength) {
  EXPECT_TRUE(find_segments({}, 0.001).empty());
  for (std::size_t count = 1; count < 6; ++count) {
    const std::vector<double> values(count, 1.0);
    ASSERT_EQ(find_segments(values, 0.001).size(), 1u);
    EXPECT_EQ(find_segments(values, 0.001)[0].end, count);
  }
}

TEST(ChangePoint, NoiseIsTheStandardDeviationOfIndependentValues) {
  EXPECT_NEAR(noise_of(logs_of({.noise = 0.02}, 5000, 1)), 0.02, 0.002);
}

TEST(ChangePoint, NoiseIgnoresSpikesStepsAndSlopes) {
  EXPECT_NEAR(noise_of(logs_of({.noise = 0.02, .spike_rate = 0.05}, 5000, 1)), 0.02, 0.004);
  EXPECT_NEAR(noise_of(logs_of({.noise = 0.02, .clock_step = 1, .clock_change_at = 2000}, 5000, 1)),
              0.02, 0.002);
  EXPECT_NEAR(noise_of(logs_of({.noise = 0.001, .drift = 20}, 5000, 1)), 0.001, 0.0002);
}

TEST(ChangePoint, NoiseOfCorrelatedValuesIsTheLongRunDeviation) {
  // sqrt((1 + r) / (1 - r)) times the deviation of one value.
  EXPECT_NEAR(noise_of(logs_of({.noise = 0.02, .autocorrelation = 0.5}, 20000, 1)),
              0.02 * std::sqrt(3.0), 0.003);
}

TEST(ChangePoint, NoiseOfNothingIsZero) {
  EXPECT_EQ(noise_of({}), 0);
  EXPECT_EQ(noise_of(std::vector<double>{1}), 0);
}

}  // namespace
}  // namespace hone
