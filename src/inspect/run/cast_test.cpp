#include "inspect/run/cast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "model/string_tensor.h"

namespace hone {
namespace {

using testing::ElementsAre;

template <class T>
TensorPtr array(ElementType type, const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor("x", type, {static_cast<std::int64_t>(values.size())},
                     Blob::own(std::move(bytes)));
}

TensorPtr doubles(const std::vector<double>& values) { return array(ElementType::float64, values); }

CastLoss loss(const TensorPtr& tensor, ElementType to) { return cast_tensor(*tensor, to)->loss; }

TEST(Casting, KeepsEveryValueThatTheOtherTypeHas) {
  const TensorPtr whole = array<std::int32_t>(ElementType::int32, {-5, 0, 7});
  for (const ElementType to : {ElementType::int64, ElementType::int8, ElementType::float32,
                               ElementType::float16, ElementType::float64}) {
    EXPECT_EQ(loss(whole, to), CastLoss::none) << name_of(to);
  }
  EXPECT_THAT(*to_ints(*cast_tensor(*whole, ElementType::int64)->tensor), ElementsAre(-5, 0, 7));
  EXPECT_EQ(loss(doubles({1, 2}), ElementType::int64), CastLoss::none);
  EXPECT_EQ(loss(doubles({0, 1}), ElementType::boolean), CastLoss::none);
}

TEST(Casting, RoundsFloatsToTheNearest) {
  const auto cast = cast_tensor(*doubles({0.1, 1.5}), ElementType::float32);
  ASSERT_TRUE(cast);
  EXPECT_EQ(cast->loss, CastLoss::rounded);
  EXPECT_THAT(*to_doubles(*cast->tensor), ElementsAre(0.1F, 1.5));
  EXPECT_EQ(loss(doubles({0.1}), ElementType::float16), CastLoss::rounded);
  EXPECT_EQ(loss(doubles({0.1}), ElementType::bfloat16), CastLoss::rounded);
}

TEST(Casting, LosesFractionsAndWhatIsBeyondTheRange) {
  EXPECT_EQ(loss(doubles({0.5}), ElementType::int64), CastLoss::lost);
  EXPECT_EQ(loss(doubles({300}), ElementType::uint8), CastLoss::lost);
  EXPECT_EQ(loss(doubles({1e300}), ElementType::float32), CastLoss::lost);
  EXPECT_EQ(loss(doubles({70'000}), ElementType::float16), CastLoss::lost);
  EXPECT_EQ(loss(doubles({2}), ElementType::boolean), CastLoss::lost);
}

TEST(Casting, KnowsIntegersThatNoDoubleHolds) {
  const std::int64_t odd = (std::int64_t{1} << 60) + 1;
  const TensorPtr large = array<std::int64_t>(ElementType::int64, {odd});
  EXPECT_EQ(loss(large, ElementType::uint64), CastLoss::lost);
  EXPECT_EQ(loss(large, ElementType::float64), CastLoss::rounded);
}

TEST(Casting, KeepsNanAndInfinityOfFloatsAndHasNoneForIntegers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const TensorPtr odd = doubles({std::nan(""), -infinity, 1});
  for (const ElementType to : {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
    const auto cast = cast_tensor(*odd, to);
    ASSERT_TRUE(cast);
    EXPECT_EQ(cast->loss, CastLoss::none);
    const std::vector<double> made = *to_doubles(*cast->tensor);
    EXPECT_TRUE(std::isnan(made[0]));
    EXPECT_EQ(made[1], -infinity);
  }
  EXPECT_EQ(cast_tensor(*odd, ElementType::int32).error().what,
            "NaN and infinity have no value in int32");
}

TEST(Casting, OfTextAndNumbersIsRefused) {
  const TensorPtr text = make_string_tensor("x", {1}, {"1"});
  EXPECT_EQ(cast_tensor(*text, ElementType::int64).error().what, "string cannot be cast to int64");
  EXPECT_FALSE(cast_tensor(*doubles({1}), ElementType::string));
}

}  // namespace
}  // namespace hone
