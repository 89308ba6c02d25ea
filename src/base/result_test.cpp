#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace hone {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return fail(Fault::bad_input, "not a digit", "", "use 0 to 9");
  return c - '0';
}

Result<int> sum(char a, char b) {
  HONE_TRY(const int first, parse_digit(a));
  HONE_TRY(const int second, parse_digit(b));
  return first + second;
}

Status check_digit(char c) {
  HONE_TRY_DO(parse_digit(c));
  return done();
}

TEST(Result, HoldsAValue) {
  EXPECT_TRUE(parse_digit('7').has_value());
  EXPECT_EQ(*parse_digit('7'), 7);
}

TEST(Result, HoldsAnErrorWithItsHint) {
  const Result<int> result = parse_digit('x');
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::bad_input);
  EXPECT_EQ(result.error().what, "not a digit");
  EXPECT_EQ(result.error().hint, "use 0 to 9");
}

TEST(Result, TryBindsTheValue) { EXPECT_EQ(*sum('2', '3'), 5); }

TEST(Result, TryHandsTheErrorToTheCaller) { EXPECT_EQ(sum('2', 'x').error().what, "not a digit"); }

TEST(Result, TryDoHandsTheErrorToTheCaller) {
  EXPECT_TRUE(check_digit('1'));
  EXPECT_EQ(check_digit('x').error().what, "not a digit");
}

TEST(Result, CarriesWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(4);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 4);
}

TEST(Result, ValueOrGivesTheOtherValueOnFailure) {
  EXPECT_EQ(parse_digit('x').value_or(-1), -1);
  EXPECT_EQ(parse_digit('8').value_or(-1), 8);
}

TEST(ResultDeathTest, AbortsWhenAnUncheckedErrorIsUsedAsAValue) {
  EXPECT_DEATH((void)parse_digit('x').value(), "hone: internal error: 'not a digit' does not hold");
}

TEST(ResultDeathTest, ABrokenInvariantNamesItsClaimAndPlace) {
  EXPECT_DEATH(HONE_CHECK(1 > 2), "internal error: '1 > 2' does not hold .*result_test.cpp");
}

}  // namespace
}  // namespace hone
