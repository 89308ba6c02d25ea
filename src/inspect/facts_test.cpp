#include "inspect/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Pair;

const Path fixtures = Path(HONE_SOURCE_DIR) / "tests/fixtures";

ModelFacts facts_of(const Path& path) { return *gather_facts(*load_model(path), path); }

// Facts of a model given as text, by way of a file.
ModelFacts facts_of_text(std::string_view text) {
  const TemporaryFolder folder = *TemporaryFolder::create("facts-test");
  const Path path = folder.path() / "m.onnx";
  const auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what;
  EXPECT_TRUE(save_model(*model, path));
  return facts_of(path);
}

TEST(Facts, CountNodesOfSubgraphsByOperatorAndDomain) {
  const ModelFacts facts =
      facts_of_text(R"(<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
g (bool c, float[2] x) => (float[2] y) {
  a = com.microsoft.Gelu(x)
  y = If (c) <then_branch = t () => (float[2] p) { p = Relu(a) }, else_branch = e () => (float[2] q) { q = Relu(x) }>
})");
  EXPECT_THAT(facts.op_counts,
              ElementsAre(Pair("If", 1u), Pair("Relu", 2u), Pair("com.microsoft.Gelu", 1u)));
  EXPECT_EQ(facts.nodes, 4u);
  EXPECT_THAT(facts.opsets, ElementsAre(Pair("ai.onnx", 21), Pair("com.microsoft", 1)));
}

TEST(Facts, SayWhichAxesAreDynamicAndWhere) {
  const ModelFacts facts = facts_of_text(
      R"(g (int64[batch,sequence] ids, float[batch,?] mask) => (float[batch,3] y) { y = Foo(ids, mask) })");
  EXPECT_THAT(facts.dynamic_axes,
              ElementsAre(Pair("?", ElementsAre("mask[1]")),
                          Pair("batch", ElementsAre("ids[0]", "mask[0]", "y[0]")),
                          Pair("sequence", ElementsAre("ids[1]"))));
}

TEST(Facts, AnUnknownRankIsNoShapeAndAScalarAnEmptyOne) {
  const ModelFacts facts =
      facts_of_text("g (float[] x, seq(float[2]) s) => (float y) { y = Foo(x, s) }");
  EXPECT_EQ(to_json(facts.inputs[0]).dump(-1), R"({"name":"x","type":"float","shape":null})");
  EXPECT_EQ(to_json(facts.inputs[1]).dump(-1),
            R"x({"name":"s","type":"seq(float[2])","shape":null})x");
  EXPECT_EQ(to_json(facts.outputs[0]).dump(-1), R"({"name":"y","type":"float","shape":[]})");
}

TEST(Facts, ParametersAreWeightsAndNotShapesScalesOrZeroPoints) {
  const ModelFacts facts = facts_of_text(R"(g (float[2,2] x) => (float[2,2] y)
<float[2,2] w = {1,2,3,4}, int8[2,2] q = {1,2,3,4}, float s = {1}, int8 z = {0}, int64[2] shape = {2,2}> {
  d = DequantizeLinear(q, s, z)
  c = Constant <value = float[3] {1,2,3}> ()
  a = MatMul(x, w)
  b = MatMul(a, d)
  t = Foo(c)
  y = Reshape(b, shape)
})");
  EXPECT_EQ(facts.parameters, 4u + 4u + 3u);
  EXPECT_THAT(facts.weight_bytes,
              ElementsAre(Pair("float", 32u), Pair("int64", 16u), Pair("int8", 5u)));
}

TEST(Facts, AQuantizedModelHasAsManyParametersAsItsOriginal) {
  const std::uint64_t original = facts_of(fixtures / "tiny/bert-cls/torch-opset17.onnx").parameters;
  EXPECT_EQ(facts_of(fixtures / "golden/tiny-bert-cls/w8a8.onnx").parameters, original);
  EXPECT_EQ(facts_of(fixtures / "golden/tiny-bert-cls/w8a16.onnx").parameters, original);
}

TEST(Facts, PackedWeightsCountOneByOne) {
  const ModelFacts facts =
      facts_of_text(R"(<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
g (float[1,32] x) => (float[1,2] y) <uint8[2,1,16] w = {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}, float[2] s = {1,1}> {
  y = com.microsoft.MatMulNBits <K = 32, N = 2, bits = 4, block_size = 32> (x, w, s)
})");
  EXPECT_EQ(facts.parameters, 64u);
}

TEST(Facts, OfAStrippedModelSayWhatIsAbsent) {
  const ModelFacts facts = facts_of(fixtures / "zoo/bert-tiny.opset17.onnx");
  EXPECT_EQ(facts.absent_weight_bytes, 17531904u);
  EXPECT_EQ(facts.bytes, 32909u);
  EXPECT_EQ(facts.precision, "fp32");
}

TEST(Facts, InputsThatAreInitializersAreNoInputs) {
  const ModelFacts facts =
      facts_of_text("g (float[2] x, float[2] w = {1,2}) => (float[2] y) { y = Add(x, w) }");
  ASSERT_EQ(facts.inputs.size(), 1u);
  EXPECT_EQ(facts.inputs[0].name, "x");
}

}  // namespace
}  // namespace hone
