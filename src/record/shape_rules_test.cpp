#include "record/shape_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone {
namespace {

using testing::ElementsAre;

TEST(ShapeRules, AreWordsOfSizesShapesAndValues) {
  const auto rules = parse_shape_rules("seq=128,x=1x3x48x320,sr:=16000,flag=true,rate:=-0.5,e=1e3");
  ASSERT_TRUE(rules) << rules.error().what;
  EXPECT_EQ(rules->symbols.at("seq"), 128);
  EXPECT_THAT(rules->inputs.at("x"), ElementsAre(1, 3, 48, 320));
  EXPECT_EQ(rules->values.at("sr"), 16000);
  EXPECT_EQ(rules->values.at("flag"), 1);
  EXPECT_EQ(rules->values.at("rate"), -0.5);
  EXPECT_EQ(rules->values.at("e"), 1000);
}

TEST(ShapeRules, SayWhatIsNoSizeAndNoValue) {
  EXPECT_EQ(parse_shape_rules("seq=many").error().what, "'many' is not a size");
  EXPECT_EQ(parse_shape_rules("x=1x3x").error().what, "'' is not a size");
  EXPECT_EQ(parse_shape_rules("x=1xwide").error().what, "'wide' is not a size");
  EXPECT_EQ(parse_shape_rules("=3").error().what, "'=3' is not NAME=SIZE");
  EXPECT_EQ(parse_shape_rules(":=3").error().what, "':=3' is not NAME=SIZE");
  EXPECT_EQ(parse_shape_rules("sr:=fast").error().what, "'fast' is not a value");
  EXPECT_EQ(parse_shape_rules("sr:=inf").error().what, "'inf' is not a value");
}

TEST(ShapeRules, AreAJsonFile) {
  const TemporaryFolder folder = *TemporaryFolder::create("rules");
  const Path file = folder.path() / "shapes.json";
  ASSERT_TRUE(write_file(file, R"({"seq": 128, "x": [1, 3], "v": [7], "sr": {"value": 16000},
                                   "flag": true, "rate": 0.5})"));
  const auto rules = parse_shape_rules(file.string());
  ASSERT_TRUE(rules) << rules.error().what;
  EXPECT_EQ(rules->symbols.at("seq"), 128);
  EXPECT_THAT(rules->inputs.at("x"), ElementsAre(1, 3));
  EXPECT_THAT(rules->inputs.at("v"), ElementsAre(7));
  EXPECT_EQ(rules->values.at("sr"), 16000);
  EXPECT_EQ(rules->values.at("flag"), 1);
  EXPECT_EQ(rules->values.at("rate"), 0.5);
  ASSERT_TRUE(write_file(file, R"({"x": [1, -3]})"));
  EXPECT_THAT(parse_shape_rules(file.string()).error().what, testing::HasSubstr("'x' is no size"));
}

// A larger one was once taken, and then another in its place.
TEST(ShapeRules, HaveNoSizeThatNothingWorksWith) {
  EXPECT_EQ(parse_shape_rules("n=2147483647")->symbols.at("n"), 2147483647);
  EXPECT_FALSE(parse_shape_rules("x=1x2147483648"));
  const TemporaryFolder folder = TemporaryFolder::create("shapes").value();
  const Path file = folder.path() / "shapes.json";
  ASSERT_TRUE(write_file(file, R"({"x": [2147483648]})"));
  EXPECT_FALSE(parse_shape_rules(file.string()));
  // It may be the value of an input; whoever knows that `n` is a dimension refuses it.
  ASSERT_TRUE(write_file(file, R"({"n": 2147483648})"));
  for (const std::string& said : {std::string("n=2147483648"), file.string()}) {
    const auto rules = parse_shape_rules(said);
    ASSERT_TRUE(rules) << rules.error().what;
    EXPECT_TRUE(rules->symbols.empty()) << said;
    EXPECT_EQ(rules->values.at("n"), 2147483648.0) << said;
  }
}

TEST(ShapeRules, AreReadAsTheyAreWritten) {
  ShapeRules rules;
  rules.symbols = {{"past_length + 1", 3}, {"a,b", 4}, {"c=d", 5}, {"back\\slash", 6}};
  rules.inputs = {{"input:0", {1, 2}}, {"ends:", {3, 4}}};
  rules.values = {{"sr", 16000}, {"ratio:", 0.1}, {"low", -1e-9}};
  const auto again = parse_shape_text(to_shape_text(rules));
  ASSERT_TRUE(again) << again.error().what << " of " << to_shape_text(rules);
  EXPECT_EQ(*again, rules) << to_shape_text(rules);
  EXPECT_EQ(to_shape_text({.inputs = {{"scalar", {}}}}), "") << "there is nothing to say of it";
}

}  // namespace
}  // namespace hone
