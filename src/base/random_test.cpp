#include "base/random.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// The first outputs of SplitMix64 for the seed 1234567, as its author publishes them.
TEST(Random, MixesAsSplitMix64Does) {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;
  EXPECT_EQ(mix64(1234567), 6457827717110365317u);
  EXPECT_EQ(mix64(1234567 + step), 3203168211198807973u);
  EXPECT_EQ(mix64(1234567 + 2 * step), 9817491932198370423u);
}

// Recorded data depends on these numbers: they must never change.
TEST(Random, GivesTheSameNumbersForTheSameSeedForEver) {
  Random random(7);
  EXPECT_EQ(random.next(), 7191089600892374487u);
  EXPECT_EQ(random.next(), 11409396526365357622u);
  EXPECT_EQ(random.below(1000), 682u);
  EXPECT_EQ(random.uniform(), 0.033311053770689214);
}

TEST(Random, BelowStaysBelowAndReachesEveryValue) {
  Random random(1);
  int seen[3] = {};
  for (int i = 0; i < 300; ++i) ++seen[random.below(3)];
  for (const int count : seen) EXPECT_GT(count, 60);
}

TEST(Random, BelowOneIsAlwaysZero) { EXPECT_EQ(Random(3).below(1), 0u); }

TEST(Random, UniformStaysBelowOne) {
  Random random(1);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = random.uniform();
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

}  // namespace
}  // namespace hone
