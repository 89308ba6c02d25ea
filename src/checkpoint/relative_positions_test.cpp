#include "checkpoint/relative_positions.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(RelativePositions, T5CountsNearOnesOneByOneAndTheOthersByLogarithm) {
  const auto bucket = [](std::int64_t distance) { return t5_bucket(distance, 32, 128); };
  EXPECT_EQ(bucket(0), 0);
  EXPECT_EQ(bucket(-1), 1);
  EXPECT_EQ(bucket(-7), 7);
  EXPECT_EQ(bucket(-15), 9);
  EXPECT_EQ(bucket(-63), 13);
  EXPECT_EQ(bucket(1), 17);
  EXPECT_EQ(bucket(7), 23);
}

TEST(RelativePositions, T5BordersAreThoseOfPowersOfTwo) {
  const auto bucket = [](std::int64_t distance) { return t5_bucket(distance, 32, 128); };
  EXPECT_EQ(bucket(-16), 10);
  EXPECT_EQ(bucket(-31), 11);
  EXPECT_EQ(bucket(-32), 12);
  EXPECT_EQ(bucket(-64), 14);
  EXPECT_EQ(bucket(-127), 15);
  EXPECT_EQ(bucket(-500), 15);
  EXPECT_EQ(bucket(500), 31);
}

TEST(RelativePositions, DebertaCountsHalfOfItsBucketsOneByOne) {
  EXPECT_EQ(deberta_bucket(8, 16, 64), 8);
  EXPECT_EQ(deberta_bucket(10, 16, 64), 9);
  EXPECT_EQ(deberta_bucket(20, 16, 64), 12);
  EXPECT_EQ(deberta_bucket(-40, 16, 64), -14);
  EXPECT_EQ(deberta_bucket(200, 256, 512), 169);
}

TEST(RelativePositions, DebertaReachesItsLastBucketAtTheLastPosition) {
  EXPECT_EQ(deberta_bucket(63, 16, 64), 15);
  EXPECT_EQ(deberta_bucket(64, 16, 64), 16);
  EXPECT_EQ(deberta_bucket(511, 256, 512), 255);
  EXPECT_EQ(deberta_bucket(512, 256, 512), 256);
}

TEST(RelativePositions, RowsGoFromTheFarthestToTheFarthest) {
  const auto rows = deberta_rows(16, 64, 1000);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 129U);  // -64 to 64: beyond, nothing changes
  EXPECT_EQ(rows->front(), 0);
  EXPECT_EQ((*rows)[1], 1);
  EXPECT_EQ((*rows)[64], 16);
  EXPECT_EQ((*rows)[65], 17);
  EXPECT_EQ(rows->back(), 31);
}

TEST(RelativePositions, RowsOfTwoBucketsAreThoseOfTheNeighbours) {
  EXPECT_EQ(deberta_rows(2, 8, 1000), (std::vector<std::int64_t>{1, 1, 2, 3, 3}));
}

TEST(RelativePositions, RowsThatReachTooFarAreNone) {
  EXPECT_FALSE(deberta_rows(16, 1'000'000, 1000));
}

}  // namespace
}  // namespace hone
