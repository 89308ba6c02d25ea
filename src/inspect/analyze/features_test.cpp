#include "inspect/analyze/features.h"

#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

Model parsed(std::string_view graph) {
  auto model = parse_text("<ir_version: 10, opset_import: [\"\" : 17]>\n" + std::string(graph));
  EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
  return model ? std::move(*model) : Model();
}

TEST(Features, SharesAndDepthAreThoseOfTheGraph) {
  const GraphFeatures features = gather_features(
      parsed("g (float[1,2,4,4] x) => (float[1,2,4,4] y) <float[2,2,1,1] w = {1,2,3,4}> { a = "
             "Conv(x, w) b = Relu(a) c = Conv(b, w) t = Transpose(x) d = Add(c, t) y = Relu(d) }"));
  EXPECT_EQ(features.opset, 17);
  EXPECT_EQ(features.nodes, 6u);
  EXPECT_DOUBLE_EQ(features.conv_share, 2.0 / 6);
  EXPECT_DOUBLE_EQ(features.transpose_share, 1.0 / 6);
  EXPECT_EQ(features.matmul_share, 0);
  EXPECT_EQ(features.depth, 5u);
  EXPECT_EQ(features.parameters, 4u);
  EXPECT_EQ(features.weight_bytes, 16u);
  EXPECT_FALSE(features.has_qdq);
}

TEST(Features, ConstantNodesAreNoDepth) {
  const GraphFeatures features = gather_features(parsed(
      "g (float[2] x) => (float[2] y) { c = Constant <value = float {1}> () y = Add(x, c) }"));
  EXPECT_EQ(features.depth, 1u);
}

TEST(Features, ANormalizationInPartsCountsOnce) {
  const GraphFeatures features = gather_features(parsed(
      "g (float[2,4] x) => (float[2,4] y) <float two = {2}, float eps = {0.00001}, float[4] w = "
      "{1,2,3,4}> { u = ReduceMean <axes = [-1]> (x) c = Sub(x, u) p = Pow(c, two) v = ReduceMean "
      "<axes = [-1]> (p) e = Add(v, eps) s = Sqrt(e) n = Div(c, s) k = Mul(n, w) a = Add(k, w) y = "
      "LayerNormalization(a, w) }"));
  EXPECT_EQ(features.normalizations, 2u);
}

TEST(Features, AModelIsQuantizedInWhateverWayItIs) {
  const char* ways[] = {
      ("g (float[2] x) => (float[2] y) <float s = {0.1}> {"
       " q = QuantizeLinear(x, s) y = DequantizeLinear(q, s) }"),
      "g (uint8[2,2] x) => (int32[2,2] y) <uint8[2,2] w = {1,2,3,4}> { y = MatMulInteger(x, w) }",
      "g (float[2] x) => (uint8[2] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }",
  };
  for (const char* way : ways) EXPECT_TRUE(gather_features(parsed(way)).is_quantized) << way;
  EXPECT_FALSE(
      gather_features(parsed("g (float[2] x) => (float[2] y) { y = Relu(x) }")).is_quantized);
}

TEST(Features, DequantizedWeightsAreThoseThatNeverChange) {
  const GraphFeatures features = gather_features(
      parsed("g (uint8[2] x) => (float[2] y) <uint8[2] w = {1,2}, float s = {0.1}> { a = "
             "DequantizeLinear(w, s) b = DequantizeLinear(x, s) y = Add(a, b) }"));
  EXPECT_EQ(features.dequantized_weights, 1u);
}

TEST(Features, DenormalWeightsAreCounted) {
  const GraphFeatures features = gather_features(
      parsed("g (float[3] x) => (float[3] y) <float[3] w = {1e-40, 1.0, 0.0}> { y = Mul(x, w) }"));
  EXPECT_EQ(features.denormal_weights, 1u);
  EXPECT_EQ(features.float_weights, 3u);
}

TEST(Features, OpenDimensionsAreListedWithTheirNames) {
  const Model model =
      parsed("g (float[batch,?,4] x, float[2] z) => (float[batch,?,4] y) { y = Relu(x) }");
  EXPECT_EQ(gather_features(model).dynamic_inputs, 1u);
  const auto axes = list_dynamic_axes(model);
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(to_json(axes[0]).dump(-1), R"({"input":"x","axis":0,"symbol":"batch"})");
  EXPECT_EQ(to_json(axes[1]).dump(-1), R"({"input":"x","axis":1,"symbol":null})");
}

}  // namespace
}  // namespace hone
