#include "inspect/eval/unit_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace hone {
namespace {

double sum_of(std::span<const UnitFacts::Facts> facts, const std::vector<std::uint64_t>& times,
              std::size_t place) {
  double sum = 0;
  for (std::size_t i = 0; i < facts.size(); ++i)
    sum += static_cast<double>(times[i]) * facts[i][place];
  return sum;
}

TEST(UnitFacts, KeepsEqualOnesOnceWithHowOftenTheyCame) {
  UnitFacts facts(false);
  for (int i = 0; i < 1000; ++i) facts.add({i % 3 * 1.0, 1}, {i % 2 * 1.0});
  EXPECT_EQ(facts.own().size(), 6U);
  EXPECT_EQ(facts.other().size(), 6U);
  EXPECT_EQ(std::accumulate(facts.times().begin(), facts.times().end(), std::uint64_t{0}), 1000U);
}

TEST(UnitFacts, KeepsAllThatDifferWhereTheyDoNotAddUp) {
  UnitFacts facts(false);
  for (int i = 0; i < 40000; ++i) facts.add({i * 1.0}, {});
  EXPECT_EQ(facts.own().size(), 40000U);
  EXPECT_EQ(facts.own()[39999][0], 39999);
}

TEST(UnitFacts, BecomeSumsOfNeighboursWhereThereAreMany) {
  UnitFacts facts(true);
  constexpr int count = 200000;
  double own = 0;
  double other = 0;
  for (int i = 0; i < count; ++i) {
    // Equal ones among the first, too: they count as often as they came.
    const double length = i % 7 == 0 ? 5 : i + 1;
    facts.add({1, length}, {0, 2 * length});
    own += length;
    other += 2 * length;
  }
  EXPECT_LE(facts.own().size(), 16384U);
  EXPECT_GE(facts.own().size(), 8192U);
  EXPECT_EQ(facts.times().size(), facts.own().size());
  EXPECT_DOUBLE_EQ(sum_of(facts.own(), facts.times(), 0), count);
  EXPECT_DOUBLE_EQ(sum_of(facts.own(), facts.times(), 1), own);
  EXPECT_DOUBLE_EQ(sum_of(facts.other(), facts.times(), 1), other);
}

// One unit as heavy as half of the data would make every interval as wide as the figure.
TEST(UnitFacts, EqualOnesAreNoHeavyUnitInTheSums) {
  UnitFacts facts(true);
  for (int i = 0; i < 20000; ++i) {
    facts.add({1, i * 1.0}, {});
    facts.add({1, -1}, {});
  }
  double most = 0;
  for (const UnitFacts::Facts& sum : facts.own()) {
    ASSERT_EQ(sum.size(), 2U);
    most = std::max(most, sum[0]);
  }
  EXPECT_LE(most, 32);
}

}  // namespace
}  // namespace hone
