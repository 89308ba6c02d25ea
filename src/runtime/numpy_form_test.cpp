#include "runtime/numpy_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/string_tensor.h"

namespace hone {
namespace {

using testing::ElementsAre;

TEST(NumpyForm, KeepsEveryBfloatAndGivesTheSameBitsBack) {
  // 1, infinity and a NaN with bits of its own.
  const std::string bits("\x80\x3F\x80\x7F\xC1\x7F", 6);
  const TensorPtr own = make_tensor("x", ElementType::bfloat16, {3}, Blob::own(bits));
  const TensorPtr wide = to_numpy_form(*own);
  ASSERT_EQ(wide->type, ElementType::float32);
  const std::vector<double> numbers = *to_doubles(*wide);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_TRUE(std::isinf(numbers[1]));
  EXPECT_TRUE(std::isnan(numbers[2]));
  EXPECT_EQ(from_numpy_form(wide, ElementType::bfloat16)->dense.view(), bits);
}

TEST(NumpyForm, OfPackedIntegersIsAByteEach) {
  const TensorPtr own = make_tensor("x", ElementType::int4, {3}, Blob::own("\x7F\x08"));
  const TensorPtr wide = to_numpy_form(*own);
  ASSERT_EQ(wide->type, ElementType::int8);
  EXPECT_THAT(*to_ints(*wide), ElementsAre(-1, 7, -8));
  EXPECT_EQ(from_numpy_form(wide, ElementType::int4)->dense.view(), "\x7F\x08");
}

TEST(NumpyForm, LeavesWhatNumpyHasAsItIs) {
  const float number[] = {1.5F};
  const TensorPtr own = make_float_tensor("x", number);
  EXPECT_EQ(to_numpy_form(*own)->type, ElementType::float32);
  EXPECT_EQ(from_numpy_form(own, ElementType::int64), own);
  EXPECT_EQ(to_numpy_form(*make_string_tensor("s", {1}, {"a"}))->strings.front(), "a");
}

TEST(NumpyForm, IsNoneForTheSmallestFloats) {
  const TensorPtr own = make_tensor("x", ElementType::float8e4m3fn, {1}, Blob::own("\x38"));
  EXPECT_EQ(to_numpy_form(*own), nullptr);
}

}  // namespace
}  // namespace hone
