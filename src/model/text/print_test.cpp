// What is printed for people: layout, what is left out, numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

Model parsed(std::string_view text) {
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what;
  return model ? std::move(model).value() : Model{};
}

Model model_with(TensorPtr tensor) {
  Model model;
  model.graph->name = "g";
  model.graph->add_initializer(std::move(tensor));
  return model;
}

TensorPtr counting_tensor(std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return make_int64_tensor("w", values);
}

Model model_with_attribute(Attribute attribute) {
  Model model;
  model.graph->add_node("Op", {}, {}).set_attribute(std::move(attribute));
  return model;
}

std::string printed_attribute(float value) {
  const Model model = model_with_attribute(make_attribute("a", value));
  return print_text(model.graph->nodes().front());
}

TEST(TextPrint, WritesAModelAsPeopleReadIt) {
  Model model = parsed(R"(<opset_import: ["": 17]> net (float[N,4] x) => (float[N,2] y)
    <float[4,2] w = {1,2,3,4,5,6,7,8}, float[N,2] t> { [mm] t = MatMul(x, w) y = Clip(t, , max) })");
  EXPECT_EQ(print_text(model), R"(<
  ir_version: 10,
  opset_import: ["" : 17]
>
net (float[N,4] x) => (float[N,2] y)
<
  float[4,2] w = {1, 2, 3, 4, 5, 6, 7, 8},
  float[N,2] t
>
{
  [mm] t = MatMul(x, w)
  y = Clip(t, , max)
}
)");
}

TEST(TextPrint, WritesAGraphAndANodeOnTheirOwn) {
  const Model model = parsed("g (x) => (y) { y = LeakyRelu <alpha = 0.5> (x) }");
  EXPECT_EQ(print_text(*model.graph), "g (x) => (y) {\n  y = LeakyRelu <alpha = 0.5> (x)\n}\n");
  EXPECT_EQ(print_text(model.graph->nodes().front()), "y = LeakyRelu <alpha = 0.5> (x)");
  EXPECT_EQ(print_text(*parsed(print_text(*model.graph)).graph), print_text(*model.graph));
}

TEST(TextPrint, ShowsTheBeginningOfATensorThatIsTooLong) {
  EXPECT_THAT(print_text(model_with(counting_tensor(16))), HasSubstr("14, 15}"));
  EXPECT_THAT(print_text(model_with(counting_tensor(17))),
              HasSubstr("int64[17] w = {0, 1, 2, 3, ...}"));
  EXPECT_THAT(print_text(model_with(counting_tensor(5)), {.max_elements = 3}),
              HasSubstr("int64[5] w = {0, 1, 2, ...}"));
  EXPECT_THAT(print_text(model_with(counting_tensor(5)), {.max_elements = 0}),
              HasSubstr("int64[5] w = {...}"));
  EXPECT_THAT(print_text(model_with(counting_tensor(99)), PrintOptions::everything()),
              HasSubstr("97, 98}"));
}

TEST(TextPrint, ShowsTheBeginningOfListsAndStringsThatAreTooLong) {
  const Model ints = model_with_attribute(make_attribute("a", Attribute::Ints(17, 7)));
  EXPECT_EQ(print_text(ints.graph->nodes().front()), "= Op <a = [7, 7, 7, 7, ...]> ()");
  const Model text = model_with_attribute(make_attribute("a", std::string(1025, 'x')));
  EXPECT_EQ(print_text(text.graph->nodes().front()),
            "= Op <a = \"" + std::string(32, 'x') + "\"...> ()");
  const Model umlauts = model_with_attribute(make_attribute("a", "x" + std::string(8, '\xc3')));
  EXPECT_EQ(print_text(umlauts.graph->nodes().front(), {.max_string = 8}),
            "= Op <a = \"x" + std::string(7, '\xc3') + "\"...> ()");
}

TEST(TextPrint, CutsAStringBetweenCharacters) {
  const Model model =
      model_with_attribute(make_attribute("a", std::string("\xe6\xbc\xa2\xe6\xbc\xa2")));
  EXPECT_EQ(print_text(model.graph->nodes().front(), {.max_string = 4}),
            "= Op <a = \"\xe6\xbc\xa2\"...> ()");
}

TEST(TextPrint, NeverLetsElidedTextBeRead) {
  const auto read = parse_text(print_text(model_with(counting_tensor(17))));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("elided"));
}

TEST(TextPrint, ShowsThatDataIsAbsent) {
  auto tensor = std::make_shared<Tensor>();
  tensor->name = "w";
  tensor->type = ElementType::float32;
  tensor->dims = {2};
  tensor->absent = true;
  EXPECT_THAT(print_text(model_with(tensor), PrintOptions::everything()),
              HasSubstr("float[2] w = ...\n"));
}

TEST(TextPrint, LeavesNotesOutUnlessAsked) {
  const Model model =
      parsed(R"(g (x !<doc_string: "input">) => (y) { y = Relu(x) !<doc_string: "node"> })");
  EXPECT_THAT(print_text(model), Not(HasSubstr("doc_string")));
  EXPECT_THAT(print_text(model, {.notes = true}), HasSubstr("x !<doc_string: \"input\">"));
}

TEST(TextPrint, LeavesOutTheTypeOfAnInitializerWhereItRepeatsTheData) {
  const Model model = parsed("g () => () <float[2] w = {1, 2}, float[2] w> {}");
  EXPECT_THAT(print_text(model), HasSubstr("<\n  float[2] w = {1, 2}\n>"));
  EXPECT_THAT(print_text(model, {.notes = true}),
              HasSubstr("<\n  float[2] w = {1, 2},\n  float[2] w\n>"));
}

TEST(TextPrint, MarksAFloatAttributeAndWritesItAsShortAsItReadsBack) {
  const std::pair<float, std::string_view> rows[] = {
      {1.0f, "1.0"},
      {-2.0f, "-2.0"},
      {0.1f, "0.1"},
      {16777216.0f, "16777216.0"},
      {1e10f, "1e+10"},
      {1e-45f, "1e-45"},
      {-0.0f, "-0.0"},
      {3.4028235e38f, "3.4028235e+38"},
      {1.0f / 3, "0.33333334"},
  };
  for (const auto& [value, text] : rows) {
    EXPECT_EQ(printed_attribute(value), "= Op <a = " + std::string(text) + "> ()");
  }
}

TEST(TextPrint, WritesSixteenBitFloatsAsValuesWhenAsked) {
  const Model model = parsed(
      "g () => () <float16[5] h = {15360, 11878, 1, 31744, 32257}, bfloat16[2] b = {16256, 49024}> "
      "{}");
  const std::string text = print_text(model, {.half_values = true});
  EXPECT_THAT(text, HasSubstr("float16[5] h = {1.0, 0.099975586, 5.9604645e-08, inf, 32257}"));
  EXPECT_THAT(text, HasSubstr("bfloat16[2] b = {1.0, -1.0}"));
  EXPECT_EQ(print_text(parsed(text)), print_text(model));
}

TEST(TextPrint, DoesNotDependOnTheOrderInWhichValuesWereMade) {
  Model model;
  Graph& graph = *model.graph;
  graph.add_initializer(make_int64_tensor("late", std::vector<std::int64_t>{1}));
  Value& t = graph.add_value("t", Type::tensor(ElementType::int64));
  Value& x = graph.add_value("x");
  Value& w = graph.add_initializer(make_int64_tensor("w", std::vector<std::int64_t>{2}));
  w.type = Type::tensor(ElementType::int64);
  graph.set_initializer(x, make_int64_tensor("x", std::vector<std::int64_t>{3}));
  graph.add_input(x);
  graph.add_node("Op", {&x}, {&t});
  const std::string text = print_text(model);
  EXPECT_THAT(text,
              HasSubstr("<\n  int64[1] x = {3},\n  int64[1] late = {1},\n  int64[1] w = {2},\n"
                        "  int64[] w,\n  int64[] t\n>"));
  EXPECT_EQ(print_text(parsed(text)), text);
}

}  // namespace
}  // namespace hone
