#include "runtime/close_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "runtime/samples.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Dim open(const std::string& symbol = "") { return {.symbol = symbol}; }
Dim fixed(std::int64_t size) { return {.value = size}; }
Port port(const std::string& name, Shape shape, ElementType type = ElementType::float32) {
  return {name, Type::tensor(type, std::move(shape))};
}
ClosedInputs closed(const std::vector<Port>& ports, const std::string& rules = "") {
  auto made = close_inputs(ports, parse_shape_rules(rules).value(), {});
  EXPECT_TRUE(made) << made.error().what;
  return std::move(*made);
}

TEST(CloseInputs, OneSymbolIsOneSizeEverywhere) {
  const std::vector<Port> ports = {port("x", {open("batch"), open("seq")}),
                                   port("h", {fixed(2), open("batch"), fixed(64)})};
  EXPECT_THAT(closed(ports).shapes.at("h"), ElementsAre(2, 1, 64)) << "not 128";
  EXPECT_THAT(closed(ports, "x=3x9").shapes.at("h"), ElementsAre(2, 3, 64))
      << "also where it comes with the shape of another input";
  EXPECT_THAT(closed(ports, "batch=4").shapes.at("h"), ElementsAre(2, 4, 64));
}

TEST(CloseInputs, InputsWithoutSymbolsComeInTheSameBatch) {
  const std::vector<Port> ports = {port("input", {open(), open()}),
                                   port("state", {fixed(2), open(), fixed(128)}),
                                   port("sr", {}, ElementType::int64)};
  EXPECT_THAT(closed(ports).shapes.at("state"), ElementsAre(2, 1, 128)) << "not 128";
  EXPECT_THAT(closed(ports, "input=4x512").shapes.at("state"), ElementsAre(2, 4, 128));
}

TEST(CloseInputs, PaddlesQuestionMarksAreNoSymbol) {
  const std::vector<Port> ports = {port("x", {fixed(-1), fixed(3), open("?"), open("?")})};
  EXPECT_THAT(closed(ports).open, testing::SizeIs(3));
  EXPECT_FALSE(closed(ports).open.back().is_repeated);
}

TEST(CloseInputs, RolesAreReadOffNamesAndPlaces) {
  const ClosedInputs made =
      closed({port("image", {open(), open(), open(), fixed(3)}),
              port("past_key_values.0", {open("n"), fixed(2), open("past"), fixed(8)}),
              port("ids", {open("n"), open("seq")})});
  EXPECT_THAT(made.shapes.at("image"), ElementsAre(1, 320, 320, 3)) << "channels last";
  EXPECT_THAT(made.shapes.at("past_key_values.0"), ElementsAre(1, 2, 0, 8));
  EXPECT_THAT(made.shapes.at("ids"), ElementsAre(1, 128));
}

TEST(CloseInputs, VolumesAreSmallerThanPictures) {
  const ClosedInputs made =
      closed({port("scan", {open("A"), fixed(3), open("C"), open("D"), open("E")})});
  EXPECT_THAT(made.shapes.at("scan"), ElementsAre(1, 3, 32, 32, 32));
}

TEST(CloseInputs, WhatWouldBeTooLargeSaysWhatToGive) {
  const std::vector<Port> ports = {port("x", {open(), fixed(1 << 20), open(), open()})};
  const auto made = close_inputs(ports, {}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "the input 'x' would be too large: float[1,1048576,320,320]");
  EXPECT_EQ(made.error().hint, "give its shape: --shape-config x=1x1048576x32x32");
}

TEST(CloseInputs, ValuesAreThoseOfTheUser) {
  const std::vector<Port> ports = {port("sr", {}, ElementType::int64),
                                   port("flag", {fixed(1)}, ElementType::boolean),
                                   port("gain", {open("n")})};
  const ShapeRules rules = parse_shape_rules("sr=16000,flag=true,gain:=0.5,n=3").value();
  const auto made = generate_samples(ports, rules, {}, 0, 1);
  ASSERT_TRUE(made) << made.error().what;
  const Sample& sample = made->samples.front();
  EXPECT_THAT(to_ints(*sample.at("sr")).value(), ElementsAre(16000));
  EXPECT_THAT(to_ints(*sample.at("flag")).value(), ElementsAre(1));
  EXPECT_THAT(to_doubles(*sample.at("gain")).value(), ElementsAre(0.5, 0.5, 0.5));
}

TEST(CloseInputs, LengthsSpanTheWholeSequence) {
  const ClosedInputs made = closed({port("features", {open("b"), open("frames"), fixed(80)}),
                                    port("feature_lengths", {open("b")}, ElementType::int64)});
  EXPECT_EQ(made.values.at("feature_lengths"), 128);
}

TEST(CloseInputs, WhatWasAssumedIsOneLine) {
  std::vector<Port> ports;
  for (int i = 0; i < 18; ++i)
    ports.push_back(port("p" + std::to_string(i), {open("batch"), open("sequence")}));
  EXPECT_EQ(describe_assumptions(closed(ports)),
            "36 dimensions were open; assumed batch=1, sequence=128; "
            "say otherwise with --shape-config batch=1,sequence=128");
  EXPECT_EQ(describe_assumptions(closed({port("x", {fixed(1), fixed(3), open(), open()})})),
            "2 dimensions were open; assumed x[2]=320, x[3]=320; "
            "say otherwise with --shape-config x=1x3x320x320");
  EXPECT_THAT(describe_assumptions(closed({port("x", {open("batch"), fixed(3)})})), IsEmpty())
      << "a batch of one is no news";
  EXPECT_THAT(describe_assumptions(closed(ports, "batch=1,sequence=3")), IsEmpty());
}

// Any ports: the hint is words our parser takes, and they give the shapes that were assumed.
TEST(CloseInputs, TheHintThatIsPrintedGivesTheSameShapes) {
  constexpr auto names = std::to_array<const char*>(
      {"x", "batch", "input:0", "a b", "c,d", "e=f", "g:", "h\\i", "past_length + 1", "?"});
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::vector<Port> ports;
    const std::size_t count = 1 + random.below(4);
    for (std::size_t i = 0; i < count; ++i) {
      Shape shape;
      const std::size_t rank = random.below(5);
      for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::uint64_t kind = random.below(3);
        shape.push_back(kind == 0   ? fixed(static_cast<std::int64_t>(1 + random.below(4)))
                        : kind == 1 ? open()
                                    : open(names[random.below(names.size())]));
      }
      const bool is_whole = random.below(2) == 0;
      ports.push_back(port(std::string(names[i]) + (random.below(2) == 0 ? "" : "_"), shape,
                           is_whole ? ElementType::int64 : ElementType::float32));
    }
    const ClosedInputs first = closed(ports);
    for (const std::string& text : {to_shape_text(rules_of(first, ports)), hint_text(first)}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text);
      if (text.empty()) continue;
      const auto rules = parse_shape_text(text);
      ASSERT_TRUE(rules) << rules.error().what;
      EXPECT_TRUE(check_shape_rules(*rules, {ports}));
      EXPECT_EQ(closed(ports, text).shapes, first.shapes);
    }
  }
}

TEST(CheckShapeRules, NamesAndShapesMustFitAModel) {
  const std::vector<Port> ports = {port("input", {open("batch"), fixed(3), open("height")}),
                                   port("sr", {}, ElementType::int64)};
  const auto problem = [&](const std::string& text) {
    const Status status = check_shape_rules(parse_shape_rules(text).value(), {ports});
    return status ? Error{} : status.error();
  };
  EXPECT_EQ(problem("hieght=3").what, "the model has no input or dimension 'hieght'");
  EXPECT_EQ(problem("hieght=3").hint, "did you mean 'height'?");
  EXPECT_THAT(problem("nonsense=3").cause,
              HasSubstr("its inputs are 'input', 'sr'; their open dimensions 'batch', 'height'"));
  EXPECT_EQ(problem("inptu=1x3x4").what, "the model has no input 'inptu'");
  EXPECT_EQ(problem("inptu=1x3x4").hint, "did you mean 'input'?");
  EXPECT_EQ(problem("rs:=3").what, "the model has no input 'rs'");
  EXPECT_EQ(problem("input=1x4x5").what, "the input 'input' does not take the shape 1x4x5");
  EXPECT_EQ(problem("input=1x3").cause, "it is float[batch,3,height]");
  for (const char* fine : {"height=3", "input=1x3x9", "sr=16000", "sr:=8000", "batch=2,height=4"})
    EXPECT_EQ(problem(fine).what, "") << fine;
}

TEST(CheckShapeRules, ASymbolMayBeOneOfAnyModelOfTheCommand) {
  const std::vector<Port> before = {port("x", {open("seq")})};
  const std::vector<Port> built = {port("x", {fixed(7)})};
  EXPECT_TRUE(check_shape_rules(parse_shape_rules("seq=7").value(), {built, before}));
  EXPECT_FALSE(check_shape_rules(parse_shape_rules("seq=7").value(), {built}));
}

TEST(CloseInputs, AnInputWithoutARankSaysWhatToGive) {
  const std::vector<Port> ports = {{"any", Type::tensor(ElementType::float32)}};
  const auto made = close_inputs(ports, {}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().hint, "give its shape: --shape-config any=1x128");
  EXPECT_THAT(closed(ports, "any=1x128").shapes.at("any"), ElementsAre(1, 128));
  EXPECT_THAT(closed(ports, "any=9").shapes.at("any"), ElementsAre(9));
}

std::vector<std::vector<Port>> sound_and_rate() {
  return {{{"x", Type::tensor(ElementType::float32, Shape{Dim{.symbol = "b"}, Dim{.symbol = "n"}})},
           {"sr", Type::tensor(ElementType::int64, Shape{})}}};
}

std::string refusal_of(const std::string& words) {
  const auto rules = parse_shape_rules(words);
  if (!rules) return rules.error().what;
  const Status checked = check_shape_rules(*rules, sound_and_rate());
  return checked ? "" : checked.error().what;
}

TEST(CheckShapeRules, WordsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal_of("n=64,n=32"), "'n' is given twice");
  EXPECT_EQ(refusal_of("b=2,x=3x64"), "'b' cannot be 2 and 3");
  EXPECT_EQ(refusal_of("b=3,x=3x64"), "");
}

TEST(CheckShapeRules, AnInputOfIntegersTakesWholeNumbersThatFit) {
  EXPECT_EQ(refusal_of("sr:=1.5"), "the input 'sr' does not take the value 1.5");
  EXPECT_EQ(refusal_of("sr:=1e30"), "the input 'sr' does not take the value 1e+30");
  EXPECT_EQ(refusal_of("sr:=16000"), "");
}

TEST(CheckShapeRules, ADimensionIsNotTakenForAMissingInput) {
  EXPECT_EQ(refusal_of("n:=64"), "'n' is a dimension, and takes a size");
  EXPECT_EQ(refusal_of("n=-5"), "'n' is a dimension, and takes a size");
}

}  // namespace
}  // namespace hone
