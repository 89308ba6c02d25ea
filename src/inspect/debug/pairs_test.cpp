// Where a model is quantized, what of the float model that stands for, and what is left of weights.

#include "inspect/debug/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/debug/counterparts.h"
#include "inspect/debug/lift.h"
#include "inspect/debug/weights.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;

Model model_of(const std::string& graph, int opset = 21) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\": " + std::to_string(opset) +
                          "]> g " + graph);
  EXPECT_TRUE(model) << model.error().what << " " << model.error().cause;
  return *std::move(model);
}

const std::string float_graph =
    "(float[2,2] x) => (float[2,2] y) <float[2,2] w = {1, 2, 3, 4}>"
    "{ t = MatMul(x, w) u = Relu(t) y = Sigmoid(u) }";

// Made by nobody's tool: no name is the float model's but those of its ports. The Relu is gone.
const std::string quantized_graph =
    "(float[2,2] x) => (float[2,2] y)"
    "<float s = {0.5}, uint8 z = {0}, int8[2,2] q = {10, 20, 30, 40}, float r = {0.1},"
    " int8 o = {0}>"
    "{ a = QuantizeLinear(x, s, z) b = DequantizeLinear(a, s, z)"
    "  c = DequantizeLinear(q, r, o) d = MatMul(b, c)"
    "  e = QuantizeLinear(d, s, z) f = DequantizeLinear(e, s, z) y = Sigmoid(f) }";

TEST(Quantization, IsFoundByTopology) {
  const Model model = model_of(quantized_graph);
  const Quantization found = find_quantization(model);
  ASSERT_THAT(found.tensors, SizeIs(2));
  EXPECT_EQ(found.tensors[0].before->name(), "x");
  EXPECT_EQ(found.tensors[0].after->name(), "b");
  EXPECT_EQ(found.tensors[1].before->name(), "d");
  EXPECT_EQ(found.tensors[1].grid->high, 127.5);
  ASSERT_THAT(found.weights, SizeIs(1));
  EXPECT_EQ(found.weights[0].after->name(), "c");
  EXPECT_THAT(found.odd, SizeIs(0));
}

TEST(Quantization, ThatShowsNoFloatsIsListedWithTheReason) {
  const Model model = model_of(
      "(float[2,2] x) => (float[2,2] y) <float s = {0.5}, uint8 z = {0}, uint8[2,2] q>"
      "{ a = QuantizeLinear(x, s, z) b = QLinearMatMul(a, s, z, q, s, z, s, z)"
      "  y = DequantizeLinear(b, s, z) }");
  const Quantization found = find_quantization(model);
  EXPECT_THAT(found.tensors, SizeIs(0));
  ASSERT_THAT(found.odd, SizeIs(3));
  EXPECT_THAT(found.odd[0].reason, HasSubstr("go on to QLinearMatMul"));
  EXPECT_THAT(found.odd[1].reason, HasSubstr("quantizes inside"));
  EXPECT_THAT(found.odd[2].reason, HasSubstr("computed in integers"));
}

TEST(Counterparts, AreFoundWithoutNames) {
  const Model original = model_of(float_graph);
  const Model quantized = model_of(quantized_graph);
  const Quantization found = find_quantization(quantized);
  const Counterparts counterparts(original, quantized);
  EXPECT_EQ(counterparts.of(*found.tensors[0].before, *found.tensors[0].after).value->name(), "x");
  const Value& weight = *found.weights[0].after;
  EXPECT_EQ(counterparts.of(weight, weight).value->name(), "w");
}

TEST(Counterparts, KnowTheReluThatARangeStandsFor) {
  const Model original = model_of(float_graph);
  const Model quantized = model_of(quantized_graph);
  const RoundedTensor tensor = find_quantization(quantized).tensors[1];
  const Counterpart found = Counterparts(original, quantized).of(*tensor.before, *tensor.after);
  ASSERT_NE(found.value, nullptr);
  EXPECT_EQ(found.value->name(), "u");
  ASSERT_NE(found.absorbed, nullptr);
  EXPECT_EQ(bounds_of(*found.absorbed).low, 0);
}

TEST(Counterparts, ReadTheBoundsOfAClip) {
  const Model model = model_of(
      "(float[2] x) => (float[2] y) <float low = {-1}, float high = {6}>"
      "{ y = Clip(x, low, high) }");
  EXPECT_EQ(bounds_of(model.graph->nodes().front()).low, -1);
  EXPECT_EQ(bounds_of(model.graph->nodes().front()).high, 6);
}

// The decibels of the one weight there is, against given floats.
Result<ErrorSums> compared(const std::string& graph, const std::vector<float>& floats) {
  const Model model = model_of(graph);
  const Quantization found = find_quantization(model);
  EXPECT_THAT(found.weights, SizeIs(1));
  return compare_weight(found.weights.at(0), *make_float_tensor("w", floats));
}

TEST(Weights, OfUnsignedIntegersDoNotWrapAround) {
  const auto sums = compared(
      "() => (float[4] y) <uint8[4] q = {0, 100, 130, 255}, float s = {0.5}, uint8 z = {128}>"
      "{ y = DequantizeLinear(q, s, z) }",
      {-64, -14, 1, 63.5});
  ASSERT_TRUE(sums);
  EXPECT_TRUE(sums->is_exact());
}

TEST(Weights, HaveAScaleForEachIndexOfAxisOneUnlessTheAxisIsGiven) {
  const std::string before =
      "() => (float[2,2] y) <int8[2,2] q = {1, 2, 3, 4}, float[2] s = {1, 10}>"
      "{ y = DequantizeLinear";
  const auto second = compared(before + "(q, s) }", {1, 20, 3, 40});
  const auto first = compared(before + "<axis = 0>(q, s) }", {1, 2, 30, 40});
  ASSERT_TRUE(second);
  ASSERT_TRUE(first);
  EXPECT_TRUE(second->is_exact());
  EXPECT_TRUE(first->is_exact());
}

TEST(Weights, OfFourBitsHaveAScaleForEachBlock) {
  const auto sums = compared(
      "() => (float[4,2] y) <int4[4,2] q = {1, 2, 3, 4, 5, 6, 7, -8},"
      " float[2,2] s = {1, 10, 100, 1000}>"
      "{ y = DequantizeLinear<axis = 0, block_size = 2>(q, s) }",
      {1, 20, 3, 40, 500, 6000, 700, -8000});
  ASSERT_TRUE(sums) << sums.error().what;
  EXPECT_TRUE(sums->is_exact());
}

TEST(Weights, MayBeScalarsAndConstants) {
  const auto scalar = compared(
      "() => (float y) <int8 q = {3}, float s = {0.5}> { y = DequantizeLinear(q, s) }", {1.25});
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->largest_error, 0.25);
  const auto constant = compared(
      "() => (float[2] y) <float s = {0.5}>"
      "{ q = Constant<value = int8[2] {2, 4}>() y = DequantizeLinear(q, s) }",
      {1, 2});
  ASSERT_TRUE(constant);
  EXPECT_TRUE(constant->is_exact());
}

TEST(Weights, ThatAreStoredAsFloatsAreRoundedAsTheModelWould) {
  const auto sums = compared(
      "() => (float[3] y) <float[3] w = {0.6, 100, -3}, float s = {0.5}, uint8 z = {2}>"
      "{ q = QuantizeLinear(w, s, z) y = DequantizeLinear(q, s, z) }",
      {0.5, 100, -1});
  ASSERT_TRUE(sums);
  EXPECT_THAT(sums->noise, DoubleNear(0, 1e-12));
}

TEST(Weights, WithScalesThatDoNotFitAreRefused) {
  const auto sums = compared(
      "() => (float[2,2] y) <int8[2,2] q = {1, 2, 3, 4}, float[3] s = {1, 10, 100}>"
      "{ y = DequantizeLinear(q, s) }",
      {1, 2, 3, 4});
  ASSERT_FALSE(sums);
  EXPECT_EQ(sums.error().what, "its scales do not fit its shape");
}

TEST(Lift, BringsATensorOfABranchToTheMainGraph) {
  Model model = model_of(
      "(bool c, float[2] x) => (float[2] y)"
      "{ y = If(c) <then_branch = a () => (float[2] p) { t = Relu(x) p = Sigmoid(t) },"
      "  else_branch = b () => (float[2] q) { q = Identity(x) }> }");
  const Node& node = model.graph->nodes().front();
  Graph* branch = node.subgraphs().front();
  Value* inner = branch->find("t");
  ASSERT_NE(inner, nullptr);
  const Value* lifted = lift(model, *inner);
  ASSERT_NE(lifted, nullptr);
  EXPECT_EQ(&lifted->graph(), model.graph.get());
  EXPECT_EQ(lifted->producer(), &node);
  for (const Graph* graph : node.subgraphs()) EXPECT_THAT(graph->outputs(), SizeIs(2));
}

}  // namespace
}  // namespace hone
