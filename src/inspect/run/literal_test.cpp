#include "inspect/run/literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Port input(ElementType type, std::optional<Shape> shape) {
  return {"x", Type::tensor(type, shape)};
}

Shape open(std::size_t rank) { return Shape(rank); }

Error refusal(const std::string& text, const Port& port) {
  const auto made = parse_numbers(text, port);
  EXPECT_FALSE(made);
  return made ? Error{} : made.error();
}

TEST(WrittenNumbers, HaveTheTypeOfTheInputAndTheShapeTheyAreWrittenIn) {
  const auto ids = parse_numbers("[[1,2,3],[4,5,6]]", input(ElementType::int64, open(2)));
  ASSERT_TRUE(ids) << ids.error().cause;
  EXPECT_THAT((*ids)->dims, ElementsAre(2, 3));
  EXPECT_THAT(*to_ints(**ids), ElementsAre(1, 2, 3, 4, 5, 6));
  const auto reals = parse_numbers("[0.5, 2]", input(ElementType::float16, open(1)));
  EXPECT_THAT(*to_doubles(**reals), ElementsAre(0.5, 2));
  const auto flags = parse_numbers("[true,0]", input(ElementType::boolean, open(1)));
  EXPECT_THAT(*to_ints(**flags), ElementsAre(1, 0));
  const auto large = parse_numbers("[9007199254740993]", input(ElementType::int64, open(1)));
  EXPECT_THAT(*to_ints(**large), ElementsAre(9007199254740993));
}

TEST(WrittenNumbers, GetTheDimensionsOfOneThatNobodyWrites) {
  const auto ids = parse_numbers("[101,102]", input(ElementType::int64, open(2)));
  ASSERT_TRUE(ids);
  EXPECT_THAT((*ids)->dims, ElementsAre(1, 2));
}

TEST(WrittenNumbers, MayBeTexts) {
  const auto words = parse_numbers(R"(["a","b"])", input(ElementType::string, open(1)));
  ASSERT_TRUE(words);
  EXPECT_THAT((*words)->strings, ElementsAre("a", "b"));
  EXPECT_THAT(refusal("[1]", input(ElementType::string, open(1))).cause,
              HasSubstr("1 is no string"));
}

TEST(WrittenNumbers, ThatDoNotFitAreNamed) {
  EXPECT_THAT(refusal("[1,300]", input(ElementType::uint8, open(1))).cause,
              HasSubstr("300 is no uint8"));
  EXPECT_THAT(refusal("[1.5]", input(ElementType::int64, open(1))).cause,
              HasSubstr("1.5 is no int64"));
  EXPECT_THAT(refusal("[-1]", input(ElementType::uint64, open(1))).cause,
              HasSubstr("-1 is no uint64"));
  EXPECT_THAT(refusal("[1e39]", input(ElementType::float32, open(1))).cause, HasSubstr("no float"));
  EXPECT_THAT(refusal("[null]", input(ElementType::float32, open(1))).cause, HasSubstr("no float"));
  EXPECT_THAT(refusal("[2]", input(ElementType::boolean, open(1))).cause,
              HasSubstr("2 is no bool"));
  EXPECT_THAT(refusal("[[1],[2,3]]", input(ElementType::int64, open(2))).cause,
              HasSubstr("rows are of different lengths"));
  EXPECT_THAT(refusal("[1,[2]]", input(ElementType::int64, open(1))).cause,
              HasSubstr("rows are of different lengths"));
  EXPECT_FALSE(parse_numbers("[1,2", input(ElementType::int64, open(1))));
  EXPECT_THAT(refusal("[1,2,3]", input(ElementType::int64, shape_of({1, 2}))).cause,
              HasSubstr("it takes int64[1,2], and is given int64[3]"));
}

TEST(WrittenText, IsOneElementOfAnInputOfText) {
  const auto one = make_text("hello", input(ElementType::string, open(2)));
  ASSERT_TRUE(one);
  EXPECT_THAT((*one)->dims, ElementsAre(1, 1));
  EXPECT_THAT((*one)->strings, ElementsAre("hello"));
  EXPECT_TRUE((*make_text("a", input(ElementType::string, Shape())))->dims.empty());
}

TEST(WrittenText, IsRefusedForTokensWithTheReason) {
  const auto made = make_text("hello", input(ElementType::int64, open(2)));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("the input 'x' does not take 'text:hello'"));
  EXPECT_THAT(made.error().cause, HasSubstr("hone has no tokenizer"));
  EXPECT_THAT(made.error().hint, HasSubstr("x=[101,7592,102]"));
  EXPECT_THAT(make_text("a", input(ElementType::float32, open(1))).error().cause,
              HasSubstr("which is no text"));
  EXPECT_THAT(make_text("a", input(ElementType::string, shape_of({2}))).error().hint,
              HasSubstr(R"(["one","two"])"));
}

TEST(WrittenValue, IsANumberOrTrueOrFalse) {
  const Port port = input(ElementType::int64, Shape());
  EXPECT_EQ(*parse_value("16000", port), 16000);
  EXPECT_EQ(*parse_value("true", port), 1);
  for (const char* word : {"", "nan", "inf", "fast", "1x"}) EXPECT_FALSE(parse_value(word, port));
}

}  // namespace
}  // namespace hone
