#include "inspect/run/summarize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "model/string_tensor.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

TensorPtr floats(const std::vector<std::int64_t>& dims, const std::vector<float>& values) {
  std::string bytes(values.size() * 4, '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor("y", ElementType::float32, dims, Blob::own(std::move(bytes)));
}

TEST(Summary, IsTheRangeOfWhatIsFiniteAndCountsTheRest) {
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const RunOutput output = summarize(*floats({2, 3}, {1, nan, -2, infinity, 4, -infinity}), {});
  EXPECT_EQ(output.min, -2);
  EXPECT_EQ(output.max, 4);
  EXPECT_EQ(output.mean, 1);
  EXPECT_EQ(output.nan, 1u);
  EXPECT_EQ(output.infinite, 2u);
  EXPECT_EQ(to_json(output.values).dump(-1), "[1.0,null,-2.0,null,4.0,null]");
}

TEST(Summary, OfNothingFiniteHasNoRange) {
  const RunOutput output = summarize(*floats({1}, {std::nanf("")}), {});
  EXPECT_FALSE(output.min);
  EXPECT_FALSE(output.mean);
}

TEST(Summary, LooksAtEveryElementOfALargeOutput) {
  std::vector<float> many(200'000, 1.0F);
  many.back() = 3;
  const RunOutput output = summarize(*floats({200'000, 1}, many), {});
  EXPECT_EQ(output.max, 3);
  EXPECT_EQ(output.elements, 200'000u);
  EXPECT_THAT(output.values, IsEmpty());
}

TEST(Summary, HasTheBestClassesWithLabelsWhereThereAreAsMany) {
  const TensorPtr scores = floats({1, 4}, {0.5F, 2, std::nanf(""), 2});
  SummaryRules rules{.top = 2, .labels = Labels{{"a", "b", "c", "d"}, ""}};
  const RunOutput named = summarize(*scores, rules);
  ASSERT_THAT(named.top, ElementsAre(Field(&RunScore::index, 1u), Field(&RunScore::index, 3u)));
  EXPECT_EQ(named.top[0].label, "b");
  EXPECT_EQ(named.top[0].score, 2);
  rules.labels->names.pop_back();
  EXPECT_FALSE(summarize(*scores, rules).top[0].label);
  rules.top = 0;
  EXPECT_THAT(summarize(*scores, rules).top, IsEmpty());
  rules.top = 100;
  EXPECT_THAT(summarize(*scores, rules).top, SizeIs(3));
}

TEST(Summary, HasNoClassesWhereAnOutputDoesNotLookLikeScores) {
  EXPECT_THAT(summarize(*floats({2, 2}, {1, 2, 3, 4}), {}).top, IsEmpty());
  EXPECT_THAT(summarize(*floats({1, 1}, {1}), {}).top, IsEmpty());
  const std::int64_t ids[] = {1, 2};
  EXPECT_THAT(summarize(*make_int64_tensor("y", ids), {}).top, IsEmpty());
}

TEST(Summary, TellsWholeNumbersFlagsAndTextAsTheyAre) {
  const std::int64_t ids[] = {(std::int64_t{1} << 60) + 1};
  EXPECT_EQ(to_json(summarize(*make_int64_tensor("y", ids), {}).values).dump(-1),
            "[1152921504606846977]");
  const TensorPtr flags =
      make_tensor("y", ElementType::boolean, {2}, Blob::own(std::string("\1\0", 2)));
  const RunOutput output = summarize(*flags, {});
  EXPECT_EQ(to_json(output.values).dump(-1), "[true,false]");
  EXPECT_EQ(output.mean, 0.5);
  const TensorPtr text = make_string_tensor("y", {1}, {"hello"});
  EXPECT_EQ(to_json(summarize(*text, {}).values).dump(-1), R"(["hello"])");
  EXPECT_FALSE(summarize(*text, {}).min);
}

TEST(Summary, OfAnEmptyOutputIsThatItIsEmpty) {
  const RunOutput output = summarize(*floats({0, 4}, {}), {});
  EXPECT_EQ(output.elements, 0u);
  EXPECT_FALSE(output.min);
}

}  // namespace
}  // namespace hone
