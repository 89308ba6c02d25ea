#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

std::string one_line(const Json& json) { return json.dump(-1); }

// Parses and writes again; for errors "WHAT: CAUSE".
std::string round_trip(std::string_view text) {
  const Result<Json> json = Json::parse(text);
  return json ? one_line(*json) : json.error().what + ": " + json.error().cause;
}

TEST(JsonDump, KeepsTheOrderOfMembers) {
  Json json = Json::object();
  json.set("schema_version", 1).set("b", 2).set("a", 3);
  EXPECT_EQ(one_line(json), R"({"schema_version":1,"b":2,"a":3})");
}

TEST(JsonDump, IsPrettyWithPlainArraysOnOneLine) {
  Json json = Json::object();
  json.set("shape", Json::array().push(1).push("N").push(nullptr));
  json.set("inputs", Json::array().push(Json::object().set("name", "x")));
  json.set("empty", Json::array()).set("none", Json::object());
  EXPECT_EQ(json.dump(), R"({
  "shape": [1, "N", null],
  "inputs": [
    {
      "name": "x"
    }
  ],
  "empty": [],
  "none": {}
})");
}

TEST(JsonDump, WritesDoublesAsShortAsTheyCanBeReadBack) {
  EXPECT_EQ(one_line(0.1), "0.1");
  EXPECT_EQ(one_line(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(one_line(1e300), "1e+300");
}

TEST(JsonDump, TellsWholeDoublesFromIntegers) {
  EXPECT_EQ(one_line(2.0), "2.0");
  EXPECT_EQ(one_line(-0.0), "-0.0");
  EXPECT_EQ(one_line(2), "2");
}

TEST(JsonDump, WritesNumbersThatAreNotFiniteAsNull) {
  EXPECT_EQ(one_line(std::nan("")), "null");
  EXPECT_EQ(one_line(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonDump, KeepsTheLargestIntegers) {
  EXPECT_EQ(one_line(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(one_line(INT64_MIN), "-9223372036854775808");
}

TEST(JsonDump, EscapesWhatAStringMayNotHold) {
  EXPECT_EQ(one_line(std::string("a\"\\/\n\t\r\b\f\x01\0z", 12)),
            R"("a\"\\/\n\t\r\b\f\u0001\u0000z")");
}

TEST(JsonDump, MakesInvalidUtf8Valid) { EXPECT_EQ(one_line("a\xFF"), "\"a\xEF\xBF\xBD\""); }

TEST(JsonCanonical, SortsMembersAtEveryLevel) {
  EXPECT_EQ(Json::parse(R"({"b": {"y": 1, "x": [ {"d": 1, "c": 2} ]}, "a": 0.50})")->canonical(),
            R"({"a":0.5,"b":{"x":[{"c":2,"d":1}],"y":1}})");
}

TEST(JsonParse, ReadsEveryKindOfValue) {
  const std::string text = R"({"a":[1,-2,1.5,true,false,null,"s"],"b":{}})";
  EXPECT_EQ(round_trip(text), text);
}

TEST(JsonParse, KeepsIntegersOf64Bits) {
  EXPECT_EQ(round_trip("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(round_trip("-9223372036854775808"), "-9223372036854775808");
}

TEST(JsonParse, IntegersBeyond64BitsBecomeDoubles) {
  EXPECT_EQ(round_trip("18446744073709551616"), "18446744073709551616.0");
}

TEST(JsonParse, NumbersBeyondDoublesAreRefused) {
  EXPECT_EQ(round_trip("[1e999]"),
            "invalid JSON at line 1, column 7: number overflow parsing '1e999'");
}

TEST(JsonParse, NamesLineAndColumnOfAMistake) {
  EXPECT_EQ(round_trip("{\n  \"a\": 1,\n  \"b\": }"),
            "invalid JSON at line 3, column 8: syntax error while parsing value - unexpected '}'; "
            "expected '[', '{', or a literal");
}

TEST(JsonParse, NamesLineAndColumnOfAMissingEnd) {
  EXPECT_EQ(
      round_trip("[1,\n2"),
      "invalid JSON at line 2, column 1: syntax error while parsing array - unexpected end of "
      "input; expected ']'");
}

TEST(JsonParse, RefusesAnEmptyText) {
  EXPECT_EQ(
      round_trip(""),
      "invalid JSON at line 1, column 1: syntax error while parsing value - unexpected end of "
      "input; expected '[', '{', or a literal");
}

TEST(JsonParse, RefusesWhatFollowsTheValue) {
  EXPECT_EQ(
      round_trip("1 2"),
      "invalid JSON at line 1, column 3: syntax error while parsing value - unexpected number "
      "literal; expected end of input");
}

TEST(JsonParse, RefusesARepeatedKey) {
  EXPECT_EQ(round_trip("{\"a\": 1,\n \"a\": 2}"),
            "invalid JSON at line 2, column 4: the key 'a' appears twice");
}

TEST(JsonParse, AllowsTheSameKeyInDifferentObjects) {
  EXPECT_EQ(round_trip(R"([{"a":{"a":1}},{"a":1}])"), R"([{"a":{"a":1}},{"a":1}])");
}

TEST(JsonParse, RefusesARepeatedKeyAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  EXPECT_NE(round_trip(text + "\"70000\":0}").find("the key '70000' appears twice"),
            std::string::npos);
  EXPECT_EQ(round_trip(text + "\"x\":0}"), text + "\"x\":0}");
}

TEST(JsonParse, BoundsTheDepth) {
  const std::string deepest = std::string(256, '[') + std::string(256, ']');
  EXPECT_EQ(round_trip(deepest), deepest);
  EXPECT_EQ(round_trip(std::string(1'000'000, '[')),
            "invalid JSON at line 1, column 257: it is nested deeper than 256 levels");
}

TEST(JsonParse, RefusesInvalidUtf8) { EXPECT_FALSE(Json::parse("\"\xFF\"")); }

TEST(JsonParse, RefusesNan) { EXPECT_FALSE(Json::parse("[NaN]")); }

TEST(JsonParse, AnErrorHoldsNoControlCharacters) {
  const Result<Json> json = Json::parse("[\x1B[2J]");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().cause.find('\x1B'), std::string::npos);
}

TEST(Json, NumbersConvertWhereNoValueIsLost) {
  EXPECT_EQ(*Json(3.0).to_int(), 3);
  EXPECT_EQ(*Json(3).to_uint(), 3u);
  EXPECT_EQ(*Json(3).to_double(), 3.0);
  EXPECT_EQ(*Json(UINT64_MAX).to_uint(), UINT64_MAX);
}

TEST(Json, NumbersDoNotConvertWhereAValueIsLost) {
  EXPECT_EQ(Json(1.5).to_int().error().what, "expected an integer of 64 bits, found 1.5");
  EXPECT_EQ(Json(-1).to_uint().error().what,
            "expected an integer of 64 bits, not negative, found -1");
  EXPECT_EQ(Json((std::int64_t{1} << 53) + 1).to_double().error().what,
            "expected a number that a double holds exactly, found 9007199254740993");
  EXPECT_FALSE(Json(UINT64_MAX).to_int());
  EXPECT_FALSE(Json(UINT64_MAX).to_double());
  EXPECT_FALSE(Json(INT64_MAX).to_double());
  EXPECT_FALSE(Json(1e300).to_int());
  EXPECT_FALSE(Json(1e300).to_uint());
  EXPECT_FALSE(Json(std::nan("")).to_int());
}

TEST(Json, OtherKindsAreNoNumbers) {
  EXPECT_EQ(Json("7").to_int().error().what, "expected an integer of 64 bits, found a string");
  EXPECT_EQ(Json::array().to_double().error().what,
            "expected a number that a double holds exactly, found an array");
  EXPECT_EQ(Json().to_uint().error().what,
            "expected an integer of 64 bits, not negative, found null");
}

TEST(Json, EqualIntegersAreEqualWhateverTheirType) {
  EXPECT_EQ(Json(std::uint64_t{7}), Json(7));
  EXPECT_EQ(Json(std::uint8_t{7}), Json(7LL));
  EXPECT_NE(Json(7), Json(7.0));
}

TEST(Json, OnlyABoolIsABoolean) {
  EXPECT_EQ(Json(true).kind(), "boolean");
  EXPECT_EQ(Json("true").kind(), "string");
  static_assert(!std::is_constructible_v<Json, const int*>);
}

TEST(Json, FindGivesTheMemberOrNothing) {
  const Json json = Json::object().set("a", 1);
  EXPECT_EQ(*json.find("a"), Json(1));
  EXPECT_EQ(json.find("b"), nullptr);
  EXPECT_EQ(Json(1).find("a"), nullptr);
}

TEST(Json, NamesItsKind) {
  EXPECT_EQ(Json().described_kind(), "null");
  EXPECT_EQ(Json(false).described_kind(), "a boolean");
  EXPECT_EQ(Json(1).described_kind(), "a number");
  EXPECT_EQ(Json(1.5).kind(), "number");
  EXPECT_EQ(Json(UINT64_MAX).kind(), "number");
  EXPECT_EQ(Json::object().described_kind(), "an object");
}

}  // namespace
}  // namespace hone
