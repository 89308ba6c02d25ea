#include "measure/denormals.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

PerfDenormals judged(const std::vector<double>& as_is, const std::vector<double>& as_zero) {
  PerfDenormals found;
  judge_turns(as_is, as_zero, found);
  return found;
}

TEST(Denormals, CostWhatEveryBlockShows) {
  const PerfDenormals found = judged({5, 5.2, 4.9, 5.1, 7}, {1, 1.1, 0.9, 1.2, 1});
  EXPECT_TRUE(found.is_beyond_noise);
  EXPECT_DOUBLE_EQ(found.p50_as_is_ms.value(), 5.1);
  EXPECT_DOUBLE_EQ(found.p50_as_zero_ms.value(), 1);
}

TEST(Denormals, CostNothingThatNoiseMayHaveDone) {
  // The medians are 1.8 apart, as on a busy machine.
  EXPECT_FALSE(judged({1.07, 1.05, 0.58, 1.1, 0.9}, {0.58, 0.6, 0.57, 1.2, 0.55}).is_beyond_noise);
  EXPECT_FALSE(judged({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}).is_beyond_noise);
}

TEST(Denormals, SayNothingAfterTooFewBlocks) {
  const PerfDenormals found = judged({5, 5, 5, 5}, {1, 1, 1, 1});
  EXPECT_FALSE(found.is_beyond_noise);
  EXPECT_FALSE(found.p50_as_zero_ms);
}

TEST(Transfers, AreTheDifferenceAndBeyondTheNoiseOnlyWhereNoBlocksOverlap) {
  const std::vector<double> device = {1.0, 1.1, 1.0, 1.05, 1.0};
  const auto clear = judge_transfers(device, std::vector{1.3, 1.2, 1.25, 1.2, 1.2});
  ASSERT_TRUE(clear);
  EXPECT_NEAR(clear->transfer_ms, 0.2, 1e-9);
  EXPECT_TRUE(clear->is_beyond_noise);
  EXPECT_FALSE(judge_transfers(device, std::vector{1.3, 1.05, 1.2, 1.2, 1.2})->is_beyond_noise);
  EXPECT_FALSE(judge_transfers(device, std::vector{1.3, 1.2})) << "too few turns";
}

}  // namespace
}  // namespace hone
