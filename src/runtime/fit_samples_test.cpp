#include "runtime/fit_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <cstring>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Dims = std::vector<std::int64_t>;

Port port(const std::string& name, const Dims& dims) {
  return {name, Type::tensor(ElementType::float32, shape_of(dims))};
}

template <class Number>
TensorPtr array(ElementType type, const Dims& dims, const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return make_tensor("x", type, dims, Blob::own(bytes));
}

std::vector<double> numbers_in(const Sample& sample, const std::string& name) {
  return to_doubles(*sample.at(name)).value();
}

TEST(FitSample, LeavesWhatFitsAsItIs) {
  SampleNotes notes;
  const Sample given = {{"x", array<float>(ElementType::float32, {1, 2}, {1, 2})}};
  const auto fitted = fit_sample(given, {port("x", {1, 2})}, notes);
  ASSERT_TRUE(fitted) << fitted.error().what;
  ASSERT_EQ(fitted->size(), 1U);
  EXPECT_EQ(fitted->front().at("x"), given.at("x"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(FitSample, ConvertsFloat64WhereFloat32IsTakenAndSaysSo) {
  SampleNotes notes;
  const auto fitted = fit_sample({{"x", array<double>(ElementType::float64, {2}, {0.5, -3})}},
                                 {port("x", {2})}, notes);
  ASSERT_TRUE(fitted) << fitted.error().what;
  EXPECT_EQ(fitted->front().at("x")->type, ElementType::float32);
  EXPECT_THAT(numbers_in(fitted->front(), "x"), ElementsAre(0.5, -3));
  EXPECT_THAT(notes, ElementsAre("the input 'x' is float64 in the data, and converted to the "
                                 "float32 that the model takes"));
}

TEST(FitSample, RefusesANumberThatFloat32WouldMakeInfinite) {
  SampleNotes notes;
  const auto fitted = fit_sample({{"x", array<double>(ElementType::float64, {2}, {0.5, 1e300})}},
                                 {port("x", {2})}, notes);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error().fault, Fault::bad_input);
  EXPECT_EQ(fitted.error().what, "'x' holds 1e+300, and the model takes float32");
  const double none = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(fit_sample({{"x", array<double>(ElementType::float64, {2}, {0.5, none})}},
                         {port("x", {2})}, notes))
      << "what is infinite stays so";
}

TEST(FitSample, TakesALeadingAxisForSamples) {
  SampleNotes notes;
  const auto fitted =
      fit_sample({{"x", array<float>(ElementType::float32, {2, 1, 2}, {1, 2, 3, 4})},
                  {"y", array<float>(ElementType::float32, {1}, {9})}},
                 {port("x", {1, 2}), port("y", {1})}, notes);
  ASSERT_TRUE(fitted) << fitted.error().what;
  ASSERT_EQ(fitted->size(), 2U);
  EXPECT_THAT(fitted->at(1).at("x")->dims, ElementsAre(1, 2));
  EXPECT_THAT(numbers_in(fitted->at(0), "x"), ElementsAre(1, 2));
  EXPECT_THAT(numbers_in(fitted->at(1), "x"), ElementsAre(3, 4));
  EXPECT_THAT(numbers_in(fitted->at(1), "y"), ElementsAre(9)) << "what fits belongs to each";
  EXPECT_THAT(notes, ElementsAre("the first axis of 'x' holds 2 samples of float[1,2]"));
}

TEST(FitSample, TakesABatchForSamplesWhereTheModelTakesOneAtATime) {
  SampleNotes notes;
  const auto fitted = fit_sample({{"x", array<float>(ElementType::float32, {2, 2}, {1, 2, 3, 4})}},
                                 {port("x", {1, 2})}, notes);
  ASSERT_TRUE(fitted) << fitted.error().what;
  ASSERT_EQ(fitted->size(), 2U);
  EXPECT_THAT(numbers_in(fitted->at(1), "x"), ElementsAre(3, 4));
}

TEST(FitSample, LeavesABatchTogetherWhereTheModelTakesAny) {
  SampleNotes notes;
  Port open = port("x", {1, 2});
  open.type.shape->front().value.reset();
  const auto fitted =
      fit_sample({{"x", array<float>(ElementType::float32, {2, 2}, {1, 2, 3, 4})}}, {open}, notes);
  ASSERT_TRUE(fitted) << fitted.error().what;
  EXPECT_EQ(fitted->size(), 1U);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(FitSample, RefusesInputsOfDifferentNumbersOfSamples) {
  SampleNotes notes;
  const auto fitted = fit_sample({{"x", array<float>(ElementType::float32, {2, 1}, {1, 2})},
                                  {"y", array<float>(ElementType::float32, {3, 1}, {1, 2, 3})}},
                                 {port("x", {1}), port("y", {1})}, notes);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error().what, "'y' holds 3 samples, and another input 2");
}

}  // namespace
}  // namespace hone
