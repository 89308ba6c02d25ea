#include "checkpoint/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Config config_of(const char* text, Problems& problems) {
  return {Json::parse(text).value(), problems};
}

TEST(Config, RemembersWhatWasReadAndWhatWasNot) {
  Problems problems;
  const Config config = config_of(R"({"a": 1, "part": {"b": true, "c": 2}, "d": 3})", problems);
  EXPECT_EQ(config.size("a"), 1);
  EXPECT_TRUE(config.part("part").flag("b", false));
  EXPECT_EQ(config.word("said_nowhere", "gelu"), "gelu");
  EXPECT_THAT(config.not_read(), ElementsAre("d"));
  ASSERT_EQ(config.read().size(), 3U);
  EXPECT_EQ(config.read()[1].name, "part.b");
  EXPECT_FALSE(config.read()[2].is_said);
  EXPECT_FALSE(problems.any());
}

TEST(Config, NamesASwitchThatIsMissingOrCannotBeMeant) {
  Problems problems;
  const Config config =
      config_of(R"({"a": 0, "b": "x", "c": 1.5, "d": [1, "x"], "e": 99999})", problems);
  config.size("a");
  config.flag("b", false);
  config.whole("c");
  config.wholes("d");
  config.layers("e");
  config.size("f");
  config.part("g");
  EXPECT_THAT(problems.said(),
              ElementsAre(HasSubstr("a is 0"), HasSubstr("b is \"x\""), HasSubstr("c is 1.5"),
                          HasSubstr("d is [1,\"x\"]"), HasSubstr("e is 99999"),
                          HasSubstr("f is missing"), HasSubstr("g is missing")));
}

TEST(Config, TakesOnlyWhatTheFamilyKnows) {
  Problems problems;
  const Config config = config_of(R"({"a": "rotary", "b": 1, "c": "x"})", problems);
  config.only("a", "absolute", "not written");
  config.only("b", 1.0, "not written");
  config.only("said_nowhere", true, "not written");
  config.one_of("c", {"y", "z"}, "y");
  EXPECT_THAT(problems.said(), ElementsAre("config.json: a is \"rotary\": not written",
                                           "config.json: c is \"x\": known are y, z"));
}

TEST(Config, RefusesANullWhereTheUsualValueIsSomething) {
  Problems problems;
  const Config config = config_of(
      R"({"a": null, "b": null, "c": null, "d": null, "e": null, "f": {"g": null}})", problems);
  EXPECT_FALSE(config.flag("a", false));
  EXPECT_EQ(config.whole("a", 0), 0);
  EXPECT_EQ(config.nullable().size("b", 4), 4);
  EXPECT_EQ(config.nullable().part("f").size("g", 4), 4);
  config.only("c", false, "not written");
  config.only("c", Json(), "not written");
  EXPECT_FALSE(problems.any());
  config.flag("a", true);
  config.size("b", 4);
  config.only("c", true, "not written");
  config.word("d", "gelu");
  config.wholes("e", {1});
  config.size("d");
  EXPECT_THAT(problems.said(), ElementsAre(HasSubstr("a is null"), HasSubstr("b is null"),
                                           HasSubstr("c is null"), HasSubstr("d is null"),
                                           HasSubstr("e is null"), HasSubstr("d is missing")));
}

TEST(Config, HasPairsAsOneNumberOrTwo) {
  Problems problems;
  const Config config = config_of(R"({"a": 16, "b": [2, 3], "c": [1, 2, 3]})", problems);
  EXPECT_THAT(config.pair("a"), ElementsAre(16, 16));
  EXPECT_THAT(config.pair("b"), ElementsAre(2, 3));
  EXPECT_THAT(config.pair("d", 4), ElementsAre(4, 4));
  EXPECT_FALSE(problems.any());
  config.pair("c");
  EXPECT_TRUE(problems.any());
}

}  // namespace
}  // namespace hone
