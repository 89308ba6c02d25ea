#include "model/weights/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/elements.h"

namespace hone {
namespace {

Moments moments_of_numbers(const std::vector<double>& numbers) {
  Moments moments;
  moments.add(numbers);
  return moments;
}

TensorPtr tensor_of(ElementType type, const std::vector<double>& numbers) {
  std::string bytes(*bytes_of(type, numbers.size()), '\0');
  encode_elements(type, numbers, bytes.data());
  return make_tensor("w", type, {static_cast<std::int64_t>(numbers.size())},
                     Blob::own(std::move(bytes)));
}

TEST(Moments, AreThoseOfThePopulation) {
  const Moments moments = moments_of_numbers({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(moments.count(), 8u);
  EXPECT_DOUBLE_EQ(moments.mean(), 5);
  EXPECT_DOUBLE_EQ(moments.deviation(), 2);
}

TEST(Moments, OfNothingAreZero) {
  EXPECT_EQ(Moments().count(), 0u);
  EXPECT_EQ(Moments().deviation(), 0);
}

TEST(Moments, EqualNumbersHaveExactlyTheirValueAndNoDeviation) {
  const Moments moments = moments_of_numbers(std::vector<double>(100'001, 0.1));
  EXPECT_EQ(moments.mean(), 0.1);
  EXPECT_EQ(moments.deviation(), 0);
}

TEST(Moments, ALargeMeanCostsNoDigits) {
  std::vector<double> numbers;
  for (int i = 0; i < 10'000; ++i) numbers.push_back(1e9 + (i % 2));
  const Moments moments = moments_of_numbers(numbers);
  EXPECT_DOUBLE_EQ(moments.mean(), 1e9 + 0.5);
  EXPECT_DOUBLE_EQ(moments.deviation(), 0.5);
}

TEST(Moments, DoNotDependOnHowTheNumbersCome) {
  std::vector<double> numbers;
  for (int i = 0; i < 5000; ++i) numbers.push_back(std::sin(i) * 3 + 1);
  Moments pieces;
  for (std::size_t i = 0; i < numbers.size(); i += 37) {
    pieces.add(std::span(numbers).subspan(i, std::min<std::size_t>(37, numbers.size() - i)));
  }
  const Moments whole = moments_of_numbers(numbers);
  EXPECT_NEAR(pieces.mean(), whole.mean(), 1e-12);
  EXPECT_NEAR(pieces.deviation(), whole.deviation(), 1e-12);
}

TEST(Moments, LeaveOutWhatIsNotFinite) {
  const Moments moments = moments_of_numbers({1, -HUGE_VAL, 3, NAN});
  EXPECT_EQ(moments.count(), 2u);
  EXPECT_EQ(moments.mean(), 2);
}

TEST(Moments, OfATensorAreThoseOfItsElementsWhateverTheirType) {
  std::vector<double> numbers;
  for (int i = 0; i < 5001; ++i) numbers.push_back(i % 8);
  const Moments expected = moments_of_numbers(numbers);
  for (const ElementType type : {ElementType::float32, ElementType::float16, ElementType::bfloat16,
                                 ElementType::float64, ElementType::int8, ElementType::uint4}) {
    const auto moments = moments_of(*tensor_of(type, numbers));
    ASSERT_TRUE(moments) << name_of(type);
    EXPECT_EQ(moments->count(), expected.count()) << name_of(type);
    EXPECT_NEAR(moments->mean(), expected.mean(), 1e-12) << name_of(type);
    EXPECT_NEAR(moments->deviation(), expected.deviation(), 1e-12) << name_of(type);
  }
}

}  // namespace
}  // namespace hone
