// What a text means: the model that comes of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;

Model parsed(std::string_view text) {
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what;
  return model ? std::move(model).value() : Model{};
}

const Node& only_node(const Model& model) { return model.graph->nodes().front(); }

std::vector<std::string> names(const std::vector<Value*>& values) {
  std::vector<std::string> found;
  found.reserve(values.size());
  for (const Value* value : values) found.push_back(value ? value->name() : "(left out)");
  return found;
}

std::vector<double> doubles(const TensorPtr& tensor) { return to_doubles(*tensor).value(); }

TEST(TextParse, GivesABareGraphTheDefaultHeader) {
  const Model model = parsed("g (float x) => (float y) { y = Relu(x) }");
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(model.opset(), 21);
  EXPECT_EQ(model.graph->name, "g");
}

TEST(TextParse, CompletesAHeaderThatLeavesOutTheVersions) {
  const Model model = parsed("< producer_name: \"me\" > g () => () {}");
  EXPECT_EQ(model.ir_version, 10);
  EXPECT_EQ(model.opset(), 21);
  EXPECT_EQ(model.producer_name, "me");
}

TEST(TextParse, TakesAHeaderByItsWord) {
  const Model model = parsed("<opset_import: [], ir_version: 0> g () => () {}");
  EXPECT_EQ(model.ir_version, 0);
  EXPECT_TRUE(model.opsets.empty());
}

TEST(TextParse, ReadsABareTypeAsAScalarAndEmptyBracketsAsUnknownRank) {
  const Model model = parsed("g (float a, float[] b, float[?] c) => () {}");
  const auto& inputs = model.graph->inputs();
  ASSERT_TRUE(inputs[0]->type.shape.has_value());
  EXPECT_TRUE(inputs[0]->type.shape->empty());
  EXPECT_FALSE(inputs[1]->type.shape.has_value());
  EXPECT_EQ(inputs[2]->type.shape->size(), 1u);
}

TEST(TextParse, ReadsMissingOperandsAsOnnxDoes) {
  const std::pair<std::string_view, std::vector<std::string>> rows[] = {
      {"", {}},
      {"x", {"x"}},
      {"x,", {"x"}},
      {",", {"(left out)"}},
      {"\"\"", {"(left out)"}},
      {",x", {"(left out)", "x"}},
      {"x, , y", {"x", "(left out)", "y"}},
      {R"(x, "", y, "")", {"x", "(left out)", "y", "(left out)"}},
  };
  for (const auto& [inputs, expected] : rows) {
    const Model model = parsed("g () => () { z = Op(" + std::string(inputs) + ") }");
    EXPECT_EQ(names(only_node(model).inputs()), expected) << inputs;
  }
}

TEST(TextParse, ReadsAttributesBeforeAndBehindTheInputs) {
  for (const std::string_view node : {"y = Op <a = 1> (x)", "y = Op (x) <a = 1>"}) {
    const Model model = parsed("g () => () { " + std::string(node) + " }");
    EXPECT_EQ(only_node(model).int_or("a", 0), 1);
  }
}

TEST(TextParse, TakesTheTypeOfAnAttributeFromItsValue) {
  const Model model = parsed(
      "g () => () { y = Op <i = 1, f = 1.0, g = 1e3, h = Infinity, s = \"1\", is = [1], fs = [1.0, "
      "2]> () }");
  const Node& node = only_node(model);
  EXPECT_EQ(node.attribute("i")->type(), AttributeType::int_);
  EXPECT_EQ(node.attribute("f")->type(), AttributeType::float_);
  EXPECT_EQ(node.float_or("g", 0), 1000.0f);
  EXPECT_EQ(node.float_or("h", 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(node.attribute("s")->type(), AttributeType::string);
  EXPECT_EQ(node.attribute("is")->type(), AttributeType::ints);
  EXPECT_THAT(*node.attribute("fs")->as_floats(), ElementsAre(1.0f, 2.0f));
}

TEST(TextParse, ReadsAnIntegerAsAFloatWhereTheTypeSaysSo) {
  const Model model = parsed("g () => () { y = Op <f: float = 2, fs: floats = [1, 2]> () }");
  EXPECT_EQ(only_node(model).float_or("f", 0), 2.0f);
  EXPECT_THAT(*only_node(model).attribute("fs")->as_floats(), ElementsAre(1.0f, 2.0f));
}

TEST(TextParse, ReadsReferencesInTheirLongAndShortForm) {
  const Model model = parsed("g () => () { y = Op <a: int = @b, @c> () }");
  EXPECT_EQ(only_node(model).attribute("a")->reference, "b");
  EXPECT_EQ(only_node(model).attribute("a")->declared, AttributeType::int_);
  EXPECT_EQ(only_node(model).attribute("c")->reference, "c");
}

TEST(TextParse, LinksNodesThatStandInAnyOrder) {
  const Model model = parsed("g (x) => (y) { y = Relu(t)  t = Neg(x) }");
  const Value* t = model.graph->find("t");
  ASSERT_NE(t->producer(), nullptr);
  EXPECT_EQ(t->producer()->op_type, "Neg");
  EXPECT_EQ(t->uses().size(), 1u);
}

TEST(TextParse, LinksSubgraphsToTheValuesAroundThem) {
  const Model model = parsed(R"(g (bool c) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Relu(late) },
                else_branch = e () => (late) {}>
    late = Make()
  })");
  const Value* late = model.graph->find("late");
  EXPECT_EQ(late->uses().size(), 1u);
  EXPECT_TRUE(late->is_graph_output());
  const Graph& then_branch = *only_node(model).subgraphs()[0];
  EXPECT_EQ(then_branch.find("late"), nullptr);
  EXPECT_EQ(then_branch.parent(), model.graph.get());
}

TEST(TextParse, LetsASubgraphHideAnOuterNameOnlyByDefiningIt) {
  const Model model = parsed(R"(g (bool c, float x) => (y) {
    y = If (c) <then_branch = t () => (a) <int64 x> { a = Relu(x) },
                else_branch = e (x) => (b) { b = Relu(x) }>
  })");
  EXPECT_EQ(to_string(model.graph->find("x")->type), "float[]");
  const std::vector<Graph*> branches = only_node(model).subgraphs();
  EXPECT_EQ(branches[0]->find("x"), nullptr);
  EXPECT_NE(branches[1]->find("x"), nullptr);
}

TEST(TextParse, ReadsTheDefaultOfAnInput) {
  const Model model = parsed("g (float[2] x = {1, 2}) => () {}");
  const Value* x = model.graph->inputs()[0];
  ASSERT_TRUE(x->initializer());
  EXPECT_THAT(doubles(x->initializer()), ElementsAre(1, 2));
  EXPECT_EQ(to_string(x->type), "float[2]");
}

TEST(TextParse, KeepsAnInitializerApartFromWhatIsKnownOfItsValue) {
  const Model model =
      parsed("g () => () <float[2] w = {1, 2}, float[2] v = {1, 2}, float[N] v> {}");
  EXPECT_FALSE(model.graph->find("w")->type.is_known());
  EXPECT_EQ(to_string(model.graph->find("v")->type), "float[N]");
}

TEST(TextParse, ReadsSixteenBitFloatsAsPatternsAndAsValues) {
  const Model model = parsed(
      "g () => () <float16[6] h = {15360, 1.0, -0.1, inf, -65504.0, 1e-8}, "
      "bfloat16[3] b = {16256, 1.0, nan}> {}");
  EXPECT_THAT(
      doubles(model.graph->find("h")->initializer()),
      ElementsAre(1, 1, -0.0999755859375, std::numeric_limits<double>::infinity(), -65504, 0));
  const auto b = doubles(model.graph->find("b")->initializer());
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[1], 1);
  EXPECT_NE(b[2], b[2]);
}

TEST(TextParse, PacksSmallIntegersWithTheFirstInTheLowBits) {
  const Model model =
      parsed("g () => () <int4[3] a = {1, -1, 7}, uint2[5] b = {1, 2, 3, 0, 2}> {}");
  EXPECT_EQ(model.graph->find("a")->initializer()->dense.view(), "\xf1\x07");
  EXPECT_EQ(model.graph->find("b")->initializer()->dense.view(), "\x39\x02");
}

TEST(TextParse, TakesExternalDataAsAReference) {
  const Model model = parsed(R"(g () => () <float[2] w = ["location": "w.bin"]> {})");
  const Tensor& tensor = *model.graph->find("w")->initializer();
  EXPECT_TRUE(tensor.absent);
  EXPECT_EQ(tensor.external->location, "w.bin");
  EXPECT_EQ(tensor.external->length, 8u);
}

TEST(TextParse, SkipsComments) {
  const Model model = parsed(
      "# a model\ng (float x) # inputs > {\n=> (y) {\n  y = Relu(x) # the only node\n}# end");
  EXPECT_EQ(model.graph->nodes().size(), 1u);
}

TEST(TextParse, TakesTheCharacterBehindABackslashAsItIs) {
  const Model model = parsed(R"(g () => () { y = Op <s = "a\"b\\c\n# no comment"> () })");
  EXPECT_EQ(only_node(model).string_or("s", ""), "a\"b\\cn# no comment");
}

TEST(TextParse, SplitsTheDomainFromTheOp) {
  const Model model = parsed("g () => () { y = com . microsoft . nchwc.Conv : fast (x) }");
  EXPECT_EQ(only_node(model).domain, "com.microsoft.nchwc");
  EXPECT_EQ(only_node(model).op_type, "Conv");
  EXPECT_EQ(only_node(model).overload, "fast");
}

TEST(TextParse, ReadsAFunctionWithoutAHeader) {
  const Model model = parsed("g (x) => (y) { y = twice(x) } twice (a) => (b) { b = Add(a, a) }");
  ASSERT_EQ(model.functions.size(), 1u);
  EXPECT_EQ(model.functions[0].name, "twice");
  EXPECT_EQ(names(model.functions[0].body->inputs()), std::vector<std::string>{"a"});
}

TEST(TextParse, ReadsTheExampleOfItsDocumentation) {
  std::ifstream file(HONE_SOURCE_DIR "/docs/text.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string fence = "```\n";
  const std::size_t start = page.find(fence) + fence.size();
  const Model model = parsed(page.substr(start, page.find(fence, start) - start));
  EXPECT_EQ(model.graph->nodes().size(), 4u);
  EXPECT_EQ(model.functions.size(), 1u);
}

}  // namespace
}  // namespace hone
