#include "record/fields.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

enum class Color { red, green };

constexpr auto enum_names(Color) {
  return std::to_array<EnumName<Color>>({{Color::red, "red"}, {Color::green, "green"}});
}

struct Point {
  std::int64_t x = 0;
  std::uint8_t weight = 1;
};

template <RecordOf<Point> Self>
void for_each_field(Self& point, auto&& field) {
  field("x", point.x, Presence::required);
  field("weight", point.weight);
}

struct Drawing {
  std::string title = "untitled";
  bool is_closed = false;
  double scale = 1.0;
  std::uint64_t bytes = 0;
  Color color = Color::red;
  std::optional<double> angle;
  std::optional<std::string> note;
  std::vector<Point> points;
  std::map<std::string, std::int64_t> counts;
  Json extra;
};

template <RecordOf<Drawing> Self>
void for_each_field(Self& drawing, auto&& field) {
  field("title", drawing.title);
  field("is_closed", drawing.is_closed);
  field("scale", drawing.scale);
  field("bytes", drawing.bytes);
  field("color", drawing.color);
  field("angle", drawing.angle);
  field("note", drawing.note, Presence::when_given);
  field("points", drawing.points);
  field("counts", drawing.counts);
  field("extra", drawing.extra);
}

// The error of reading a Drawing from `text`.
Error error_of(std::string_view text) {
  const Result<Drawing> drawing = from_json<Drawing>(*Json::parse(text));
  return drawing ? Error{.what = "no error"} : drawing.error();
}

TEST(Fields, WritesEveryMemberInTheOrderOfTheList) {
  Drawing drawing;
  drawing.color = Color::green;
  drawing.points = {{.x = 3}};
  drawing.counts = {{"Conv", 2}};
  EXPECT_EQ(to_json(drawing).dump(-1),
            R"({"title":"untitled","is_closed":false,"scale":1.0,"bytes":0,"color":"green",)"
            R"("angle":null,"points":[{"x":3,"weight":1}],"counts":{"Conv":2},"extra":null})");
}

TEST(Fields, ReadsBackWhatItWrote) {
  Drawing drawing;
  drawing.title = "house";
  drawing.is_closed = true;
  drawing.scale = 0.1;
  drawing.bytes = UINT64_MAX;
  drawing.color = Color::green;
  drawing.angle = 90.5;
  drawing.note = "note";
  drawing.points = {{.x = -3, .weight = 255}, {.x = 4}};
  drawing.counts = {{"a", 1}, {"b", 2}};
  drawing.extra = Json::array().push(1).push("N");
  const Json written = to_json(drawing);
  const Result<Drawing> read = from_json<Drawing>(written);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read), written);
}

TEST(Fields, AnOptionalWithoutValueIsNullUnlessItIsWrittenOnlyWhenGiven) {
  const Json written = to_json(Drawing{});
  EXPECT_TRUE(written.find("angle")->is_null());
  EXPECT_EQ(written.find("note"), nullptr);
}

TEST(Fields, AMissingFieldKeepsItsDefault) {
  EXPECT_EQ(from_json<Drawing>(Json::object())->title, "untitled");
}

TEST(Fields, ARequiredFieldMustBeThere) {
  EXPECT_EQ(error_of(R"({"points": [{"x": 1}, {"weight": 2}]})").what, "'points[1]' has no 'x'");
}

TEST(Fields, AnUnknownFieldNamesTheNearestKnownOne) {
  const Error error = error_of(R"({"tilte": "house"})");
  EXPECT_EQ(error.fault, Fault::bad_input);
  EXPECT_EQ(error.what, "unknown field 'tilte' in the document");
  EXPECT_EQ(error.hint, "did you mean 'title'?");
}

TEST(Fields, AnUnknownFieldNearNothingListsAllKnownOnes) {
  const Error error = error_of(R"({"points": [{"x": 1, "altitude": 2}]})");
  EXPECT_EQ(error.what, "unknown field 'altitude' in 'points[0]'");
  EXPECT_EQ(error.hint, "known are: x, weight");
}

TEST(Fields, AnUnknownEnumValueNamesTheNearestKnownOne) {
  const Error error = error_of(R"({"color": "gren"})");
  EXPECT_EQ(error.what, "unknown value 'gren' in 'color'");
  EXPECT_EQ(error.hint, "did you mean 'green'?");
}

TEST(Fields, AValueOfTheWrongKindIsNamedWithItsPlace) {
  EXPECT_EQ(error_of(R"({"title": 1})").what, "'title' must be a string, not a number");
  EXPECT_EQ(error_of(R"({"is_closed": null})").what, "'is_closed' must be a boolean, not null");
  EXPECT_EQ(error_of(R"({"scale": "x"})").what, "'scale' must be a number, not a string");
  EXPECT_EQ(error_of(R"({"color": []})").what, "'color' must be a string, not an array");
  EXPECT_EQ(error_of(R"({"points": {}})").what, "'points' must be an array, not an object");
  EXPECT_EQ(error_of(R"({"points": [7]})").what, "'points[0]' must be an object, not a number");
  EXPECT_EQ(error_of(R"({"counts": 7})").what, "'counts' must be an object, not a number");
  EXPECT_EQ(error_of(R"({"counts": {"Conv": true}})").what,
            "'counts.Conv' must be a number, not a boolean");
  EXPECT_EQ(error_of("[]").what, "the document must be an object, not an array");
}

TEST(Fields, ANumberThatDoesNotFitIsRefusedWithTheReason) {
  const Error range = error_of(R"({"points": [{"x": 1, "weight": 256}]})");
  EXPECT_EQ(range.what, "'points[0].weight' has a wrong value");
  EXPECT_EQ(range.cause, "256 is out of range");
  EXPECT_EQ(error_of(R"({"bytes": -1})").cause,
            "expected an integer of 64 bits, not negative, found -1");
}

TEST(Fields, AnErrorHoldsNoControlCharactersOfTheDocument) {
  EXPECT_EQ(error_of(R"({"\u001b[2J": 1})").what, "unknown field '\\x1b[2J' in the document");
}

TEST(Fields, ReadingReplacesListsAndUnsetsOptionals) {
  const Result<Drawing> drawing = from_json<Drawing>(*Json::parse(R"({"angle": null})"));
  EXPECT_EQ(drawing->angle, std::nullopt);
}

TEST(Document, BeginsWithItsSchemaVersion) {
  EXPECT_EQ(to_document(Point{.x = 3}, 2).dump(-1), R"({"schema_version":2,"x":3,"weight":1})");
}

TEST(Document, IsReadBackUnderTheSameVersion) {
  EXPECT_EQ(from_document<Point>(to_document(Point{.x = 3}, 2), 2)->x, 3);
}

TEST(Document, AnotherVersionIsUnsupported) {
  const Result<Point> point = from_document<Point>(to_document(Point{.x = 3}, 3), 2);
  ASSERT_FALSE(point);
  EXPECT_EQ(point.error().fault, Fault::unsupported);
  EXPECT_EQ(point.error().what, "the document has schema_version 3; this program reads 2");
}

TEST(Document, WithoutAVersionIsRefused) {
  EXPECT_EQ(from_document<Point>(Json::object(), 1).error().what,
            "the document has no 'schema_version'");
  EXPECT_EQ(from_document<Point>(Json::array(), 1).error().what,
            "the document must be an object, not an array");
}

}  // namespace
}  // namespace hone
