#include "inspect/debug/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace hone {
namespace {

using testing::ElementsAre;

struct Numbers {
  std::vector<float> x;
  std::vector<float> y;
};

// Of all magnitudes, and rounded to another grid on the other side.
Numbers random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.x.push_back(normal(random) * std::exp2(5 * normal(random)));
    numbers.y.push_back(std::round(numbers.x.back() * 16) / 16);
  }
  return numbers;
}

std::array<std::uint64_t, 6 * lanes> bits_of(const LaneSums& sums) {
  static_assert(sizeof sums == 6 * sizeof(Lanes));
  return std::bit_cast<std::array<std::uint64_t, 6 * lanes>>(sums);
}

TEST(LaneAdders, AddEveryFourthNumberIntoTheSameLane) {
  const std::vector<float> x = {1, 2, 3, 4, 5, -6, 7, 8};
  const std::vector<float> y = {1, 2, 3, 4, 5, 6, 7, 10};
  for (const LaneAdder& adder : lane_adders()) {
    LaneSums sums;
    adder.add_floats(x, y, {}, sums);
    EXPECT_THAT(sums.signal, ElementsAre(26, 40, 58, 80)) << adder.name;
    EXPECT_THAT(sums.noise, ElementsAre(0, 144, 0, 4)) << adder.name;
    EXPECT_THAT(sums.cross, ElementsAre(26, -32, 58, 96)) << adder.name;
    EXPECT_THAT(sums.error, ElementsAre(0, 12, 0, 2)) << adder.name;
    EXPECT_THAT(sums.low, ElementsAre(1, -6, 3, 4)) << adder.name;
    EXPECT_THAT(sums.high, ElementsAre(5, 2, 7, 8)) << adder.name;
  }
}

// With fused multiply-adds, or in another order, some of these would differ.
TEST(LaneAdders, GiveTheSameBits) {
  for (std::size_t rows = 0; rows < 70; ++rows) {
    const Numbers given = random_numbers(rows * lanes, static_cast<unsigned>(rows));
    const std::vector<double> x(given.x.begin(), given.x.end());
    const std::vector<double> y(given.y.begin(), given.y.end());
    for (const Bounds bounds : {Bounds(), Bounds{.low = 0}, Bounds{.low = -1, .high = 2}}) {
      LaneSums expected;
      lane_adders().front().add_floats(given.x, given.y, bounds, expected);
      for (const LaneAdder& adder : lane_adders()) {
        LaneSums of_floats, of_doubles;
        adder.add_floats(given.x, given.y, bounds, of_floats);
        adder.add_doubles(x, y, bounds, of_doubles);
        EXPECT_EQ(bits_of(of_floats), bits_of(expected)) << adder.name << ", " << rows << " rows";
        EXPECT_EQ(bits_of(of_doubles), bits_of(expected)) << adder.name << ", " << rows << " rows";
      }
    }
  }
}

// Doubles have bits to lose where floats, squared, have none.
TEST(LaneAdders, GiveTheSameBitsForDoublesThatRound) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> x(4096), y(4096);
  for (double& number : x) number = normal(random);
  for (double& number : y) number = normal(random);
  LaneSums expected;
  lane_adders().front().add_doubles(x, y, {}, expected);
  for (const LaneAdder& adder : lane_adders()) {
    LaneSums sums;
    adder.add_doubles(x, y, {}, sums);
    EXPECT_EQ(bits_of(sums), bits_of(expected)) << adder.name;
  }
}

TEST(LaneAdders, LetNaNThroughToTheNoise) {
  const std::vector<float> x = {std::nanf(""), 1, std::nanf(""), 1};
  const std::vector<float> y = {1, std::nanf(""), 1, std::nanf("")};
  for (const LaneAdder& adder : lane_adders()) {
    LaneSums sums;
    adder.add_floats(x, y, {.low = 0, .high = 6}, sums);
    for (const double noise : sums.noise) EXPECT_TRUE(std::isnan(noise)) << adder.name;
  }
}

}  // namespace
}  // namespace hone
