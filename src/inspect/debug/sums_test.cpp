#include "inspect/debug/sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::DoubleNear;
using testing::Eq;
using testing::Optional;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

ErrorSums sums_of(const std::vector<float>& x, const std::vector<float>& y, Bounds bounds = {}) {
  ErrorSums sums;
  sums.add(std::span<const float>(x), std::span<const float>(y), bounds);
  return sums;
}

TEST(ErrorSums, TellSignalFromNoise) {
  const ErrorSums sums = sums_of({3, 4}, {3, 4.5F});
  EXPECT_THAT(sums.sqnr_db(), Optional(DoubleNear(10 * std::log10(25 / 0.25), 1e-9)));
  EXPECT_THAT(sums.cosine(), Optional(DoubleNear(27 / (5 * std::sqrt(29.25)), 1e-12)));
  EXPECT_THAT(sums.error(), Optional(0.5));
  EXPECT_EQ(sums.low, 3);
  EXPECT_EQ(sums.high, 4);
}

TEST(ErrorSums, AreTheSameForAllSamplesTogetherAndForOneAfterTheOther) {
  std::vector<float> x, y;
  for (int i = 0; i < 5001; ++i) {
    x.push_back(std::sin(static_cast<float>(i)));
    y.push_back(std::round(x.back() * 16) / 16);
  }
  ErrorSums parts;
  const std::span<const float> all_x(x), all_y(y);
  parts.add(all_x.first(7), all_y.first(7));
  parts.add(all_x.subspan(7), all_y.subspan(7));
  EXPECT_THAT(parts.sqnr_db(), Optional(DoubleNear(*sums_of(x, y).sqnr_db(), 1e-9)));
  EXPECT_EQ(parts.elements, 5001U);
}

TEST(ErrorSums, CountEveryNumberOfAnyLength) {
  std::vector<float> x, y;
  double signal = 0;
  double noise = 0;
  for (int i = 1; i < 2060; ++i) {
    x.push_back(static_cast<float>(i));
    y.push_back(static_cast<float>(i + i % 3));
    signal += i * static_cast<double>(i);
    noise += i % 3 * (i % 3);
    const ErrorSums sums = sums_of(x, y);
    ASSERT_EQ(sums.signal, signal) << i << " numbers";
    ASSERT_EQ(sums.noise, noise) << i << " numbers";
    ASSERT_EQ(sums.high, i);
    ASSERT_EQ(sums.largest_error, i == 1 ? 1 : 2);
  }
}

TEST(ErrorSums, KnowThatNothingWasLost) {
  EXPECT_TRUE(sums_of({1, 2}, {1, 2}).is_exact());
  EXPECT_EQ(sums_of({1, 2}, {1, 2}).sqnr_db(), std::nullopt);
  EXPECT_FALSE(ErrorSums().is_exact());
  EXPECT_FALSE(sums_of({nan}, {1}).is_exact());
}

TEST(ErrorSums, HaveNoRatioWithoutASignal) {
  EXPECT_EQ(sums_of({0, 0}, {0, 1}).sqnr_db(), std::nullopt);
  EXPECT_EQ(sums_of({0, 0}, {0, 0}).cosine(), std::nullopt);
}

TEST(ErrorSums, CountWhatIsNoNumberAndLeaveItOut) {
  const ErrorSums sums = sums_of({3, nan, 4, infinity, -infinity}, {3, 1, 4.5F, infinity, 0});
  EXPECT_EQ(sums.not_finite, 2U);
  EXPECT_EQ(sums.elements, 2U);
  EXPECT_THAT(sums.sqnr_db(), Optional(DoubleNear(20, 1e-9)));
}

TEST(ErrorSums, LeaveOutWhatAnAbsorbedReluWould) {
  const ErrorSums sums = sums_of({-7, 3, 4}, {0, 3, 4.5F}, {.low = 0});
  EXPECT_THAT(sums.sqnr_db(), Optional(DoubleNear(20, 1e-9)));
  EXPECT_EQ(sums.low, 0);
}

TEST(ErrorSums, DoNotOverflowWithLargeHalves) {
  // 60000 in half precision: its square is beyond what half precision holds.
  const std::string halves("\x53\x7b\x53\x7b", 4);
  const TensorPtr tensor = make_tensor("x", ElementType::float16, {2}, Blob::own(halves));
  const TensorPtr floats = make_float_tensor("y", std::vector<float>{60000, 59000});
  ErrorSums sums;
  ASSERT_TRUE(sums.add(*tensor, *floats));
  EXPECT_GT(sums.signal, 7e9);
  EXPECT_THAT(sums.sqnr_db(), Optional(testing::Gt(30.0)));
}

TEST(ErrorSums, RefuseTensorsOfDifferentSizes) {
  ErrorSums sums;
  const Status status = sums.add(*make_float_tensor("x", std::vector<float>{1, 2}),
                                 *make_float_tensor("y", std::vector<float>{1}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "the two sides differ in their shapes");
}

}  // namespace
}  // namespace hone
