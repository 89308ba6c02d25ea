#include "inspect/run/fit_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/string_tensor.h"

namespace hone {
namespace {

using testing::HasSubstr;

Port input(ElementType type, const std::vector<std::int64_t>& dims) {
  return {"x", Type::tensor(type, shape_of(dims))};
}

TensorPtr floats(const std::vector<std::int64_t>& dims) {
  return make_tensor("whatever", ElementType::float32, dims,
                     Blob::own(std::string(*count_elements(dims) * 4, '\0')));
}

TensorPtr doubles(const std::vector<double>& values) {
  std::string bytes(values.size() * 8, '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor("d", ElementType::float64, {static_cast<std::int64_t>(values.size())},
                     Blob::own(std::move(bytes)));
}

Error refusal(const TensorPtr& array, const Port& port) {
  const auto fitted = fit_array(array, port, "cat.npy", false);
  EXPECT_FALSE(fitted);
  return fitted ? Error{} : fitted.error();
}

TEST(FittingAnArray, TakesOneThatIsRightUnderTheNameOfTheInput) {
  const auto fitted =
      fit_array(floats({1, 3}), input(ElementType::float32, {1, 3}), "a.npy", false);
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->tensor->name, "x");
  EXPECT_EQ(fitted->note, "");
}

TEST(FittingAnArray, SaysWhatTheInputTakesWhatItWasGivenAndWhatWouldFit) {
  const Port picture = input(ElementType::float32, {1, 3, 64, 64});
  const Error flat = refusal(floats({3, 64, 64}), picture);
  EXPECT_EQ(flat.what, "the input 'x' does not take 'cat.npy'");
  EXPECT_EQ(flat.cause, "it takes float[1,3,64,64], and is given float[3,64,64]");
  EXPECT_THAT(flat.hint, HasSubstr("np.expand_dims(array, 0)"));
  EXPECT_THAT(refusal(floats({1, 64, 64, 3}), picture).hint, HasSubstr("(0, 3, 1, 2)"));
  EXPECT_THAT(refusal(floats({12288}), picture).hint, HasSubstr("(1, 3, 64, 64)"));
  EXPECT_THAT(refusal(floats({5}), picture).hint, HasSubstr("a shape that fits"));
  EXPECT_THAT(refusal(floats({1, 3, 4, 5}), input(ElementType::float32, {1, 4, 5, 3})).hint,
              HasSubstr("(0, 2, 3, 1)"));
}

TEST(FittingAnArray, TellsOfACastThatKeepsAllAndOfDoublesThatAreRounded) {
  const Port wide = input(ElementType::float32, {2});
  EXPECT_EQ(fit_array(doubles({1, 2}), wide, "d", false)->note, "x: cast from double to float");
  EXPECT_EQ(fit_array(doubles({0.1, 2}), wide, "d", false)->note,
            "x: cast from double to float, rounded to the nearest");
}

TEST(FittingAnArray, RefusesToLoseValuesUnlessItMay) {
  const Port whole = input(ElementType::int64, {1});
  const Error error = refusal(doubles({0.5}), whole);
  EXPECT_THAT(error.cause, HasSubstr("not all of its values are kept in int64"));
  EXPECT_THAT(error.hint, HasSubstr("--cast"));
  EXPECT_EQ(fit_array(doubles({0.5}), whole, "d", true)->note,
            "x: cast from double to int64, and values were lost (--cast)");
  EXPECT_FALSE(fit_array(doubles({0.1}), input(ElementType::float16, {1}), "d", false));
}

TEST(FittingAnArray, HasNoWayFromTextToNumbersNorToASequence) {
  const TensorPtr text = make_string_tensor("t", {1}, {"a"});
  EXPECT_THAT(refusal(text, input(ElementType::int64, {1})).cause,
              HasSubstr("string cannot be cast to int64"));
  Port sequence{"x", {}};
  sequence.type.kind = Type::Kind::sequence;
  EXPECT_THAT(refusal(text, sequence).cause, HasSubstr("hone gives tensors only"));
}

}  // namespace
}  // namespace hone
