#include "checkpoint/t5.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// The bucket of a key so far from the query.
std::int64_t bucket(const T5Distances& distances, std::int64_t from) {
  return t5_buckets(distances).at(static_cast<std::size_t>(from + distances.farthest));
}

TEST(T5Buckets, HaveOneForEachNearDistanceAndShareThoseThatAreFar) {
  const T5Distances decoder{.buckets = 32, .farthest = 128, .both_ways = false};
  EXPECT_EQ(t5_buckets(decoder).size(), 257U);
  EXPECT_EQ(bucket(decoder, 0), 0);
  EXPECT_EQ(bucket(decoder, -15), 15);
  EXPECT_EQ(bucket(decoder, -18), 16);
  EXPECT_EQ(bucket(decoder, -19), 17);
  EXPECT_EQ(bucket(decoder, -24), 19);
  EXPECT_EQ(bucket(decoder, -35), 22);
  EXPECT_EQ(bucket(decoder, -128), 31);
}

TEST(T5Buckets, TellBeforeFromAfterInAnEncoderAlone) {
  const T5Distances encoder{.buckets = 32, .farthest = 128, .both_ways = true};
  EXPECT_EQ(bucket(encoder, -7), 7);
  EXPECT_EQ(bucket(encoder, 7), 16 + 7);
  EXPECT_EQ(bucket(encoder, 128), 31);
  const T5Distances decoder{.buckets = 32, .farthest = 128, .both_ways = false};
  EXPECT_EQ(bucket(decoder, 7), 0);
}

// Where the logarithm is a whole number: 16, 32 and 64 of 8 with 128 as the farthest.
TEST(T5Buckets, ChangeAtPowersOfTwo) {
  const T5Distances encoder{.buckets = 32, .farthest = 128, .both_ways = true};
  const std::pair<std::int64_t, std::int64_t> expected[] = {{15, 9},  {16, 10}, {31, 11}, {32, 12},
                                                            {63, 13}, {64, 14}, {127, 15}};
  for (const auto& [distance, number] : expected) {
    EXPECT_EQ(bucket(encoder, -distance), number) << distance;
  }
}

TEST(T5Buckets, CanBeAsFewAsFour) {
  const T5Distances encoder{.buckets = 4, .farthest = 128, .both_ways = true};
  EXPECT_EQ(bucket(encoder, 0), 0);
  EXPECT_EQ(bucket(encoder, -1), 1);
  EXPECT_EQ(bucket(encoder, 100), 3);
}

}  // namespace
}  // namespace hone
