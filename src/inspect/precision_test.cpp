#include "inspect/precision.h"

#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

// The body and initializers of a graph from x to y; both are float unless the case says so.
std::string precision(std::string_view initializers, std::string_view body,
                      std::string_view type = "float") {
  const std::string t(type);
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\ng (" + t +
      "[2,2] x) => (" + t + "[2,2] y) <" + std::string(initializers) + "> {" + std::string(body) +
      "}";
  const auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what << "\n" << text;
  return model ? precision_of(*model) : "unreadable";
}

TEST(Precision, IsTheTypeOfTheWeightsThatAreMultiplied) {
  EXPECT_EQ(precision("float[2,2] w = {1,2,3,4}", "y = MatMul(x, w)"), "fp32");
  EXPECT_EQ(precision("float16[2,2] w = {1,2,3,4}", "y = MatMul(x, w)", "float16"), "fp16");
  EXPECT_EQ(precision("bfloat16[2,2] w = {1,2,3,4}", "y = MatMul(x, w)", "bfloat16"), "bf16");
  EXPECT_EQ(precision("double[2,2] w = {1,2,3,4}", "y = Gemm(x, w)", "double"), "fp64");
  EXPECT_EQ(precision("float8e4m3fn[2,2] w = {1,2,3,4}", "y = MatMul(x, w)", "float8e4m3fn"),
            "fp8");
}

TEST(Precision, CountsTheWeightsOfConstantNodesAndOfReshapedOnes) {
  EXPECT_EQ(precision("", "w = Constant <value = float16[2,2] {1,2,3,4}> () \n y = MatMul(x, w)"),
            "fp16");
  EXPECT_EQ(precision("float16[2,2] w = {1,2,3,4}", "t = Transpose(w) \n y = MatMul(x, t)"),
            "fp16");
}

constexpr std::string_view scales =
    "float s = {0.5}, uint8 a8 = {128}, uint16 a16 = {9}, int8 w8 = {0}, int16 w16 = {0},"
    "int8[2,2] w = {1,2,3,4}, int16[2,2] v = {1,2,3,4}, int4[2,2] n = {1,2,3,4}, int4 n0 = {0},"
    "float[2,2] f = {1,2,3,4}";

std::string quantized(std::string_view activation_zero, std::string_view weight,
                      std::string_view weight_zero) {
  const std::string zero(activation_zero);
  return precision(scales, "q = QuantizeLinear(x, s, " + zero + ") \n d = DequantizeLinear(q, s, " +
                               zero + ") \n e = DequantizeLinear(" + std::string(weight) + ", s, " +
                               std::string(weight_zero) + ") \n y = MatMul(d, e)");
}

TEST(Precision, OfQdqIsTheBitsOfWeightAndActivation) {
  EXPECT_EQ(quantized("a8", "w", "w8"), "w8a8");
  EXPECT_EQ(quantized("a16", "w", "w8"), "w8a16");
  EXPECT_EQ(quantized("a16", "v", "w16"), "w16a16");
  EXPECT_EQ(quantized("a16", "n", "n0"), "w4a16");
}

TEST(Precision, AQuantizeLinearWithoutZeroPointMakesUint8OrWhatItSays) {
  const std::string rest = "e = DequantizeLinear(w, s) \n y = MatMul(d, e)";
  EXPECT_EQ(precision(scales, "q = QuantizeLinear(x, s) \n d = DequantizeLinear(q, s) \n" + rest),
            "w8a8");
  EXPECT_EQ(precision(scales,
                      "q = QuantizeLinear <output_dtype = 5> (x, s) \n"
                      "d = DequantizeLinear(q, s) \n" +
                          rest),
            "w8a16");
}

TEST(Precision, AWeightThatIsQuantizedWhileTheModelLoadsCountsToo) {
  EXPECT_EQ(
      precision(
          scales,
          "q = QuantizeLinear(x, s, a8) \n d = DequantizeLinear(q, s, a8) \n"
          "p = QuantizeLinear(f, s, w8) \n e = DequantizeLinear(p, s, w8) \n y = MatMul(d, e)"),
      "w8a8");
}

TEST(Precision, OfMicrosoftsQdqIsTheSame) {
  EXPECT_EQ(precision(scales,
                      "q = com.microsoft.QuantizeLinear(x, s, a16) \n"
                      "d = com.microsoft.DequantizeLinear(q, s, a16) \n"
                      "e = com.microsoft.DequantizeLinear(w, s, w8) \n y = MatMul(d, e)"),
            "w8a16");
}

TEST(Precision, OfQuantizedWeightsAloneIsTheirBits) {
  EXPECT_EQ(precision(scales, "e = DequantizeLinear(n, s, n0) \n y = MatMul(x, e)"), "int4");
  EXPECT_EQ(precision(scales, "e = DequantizeLinear(w, s, w8) \n y = MatMul(x, e)"), "int8");
  EXPECT_EQ(
      precision(
          "uint8[2,1,1] w = {1,2}, float[2] s = {1,1}",
          "y = com.microsoft.MatMulNBits <K = 2, N = 2, bits = 4, block_size = 16> (x, w, s)"),
      "int4");
  EXPECT_EQ(
      precision(
          "uint8[2,1,1] w = {1,2}, float[2] s = {1,1}",
          "y = com.microsoft.MatMulNBits <K = 2, N = 2, bits = 8, block_size = 16> (x, w, s)"),
      "int8");
}

TEST(Precision, OfIntegerOperatorsWithStaticScalesIsTheirBits) {
  EXPECT_EQ(
      precision(scales,
                "q = QuantizeLinear(x, s, a8) \n"
                "r = QLinearMatMul(q, s, a8, w, s, w8, s, a8) \n y = DequantizeLinear(r, s, a8)"),
      "w8a8");
}

TEST(Precision, OfScalesThatAreMeasuredWhileItRunsIsDynamic) {
  EXPECT_EQ(precision(scales,
                      "q, t, z = DynamicQuantizeLinear(x) \n i = MatMulInteger(q, w, z, w8) \n"
                      "y = Cast <to = 1> (i)"),
            "dynamic");
}

TEST(Precision, WhatMostElementsHaveDecidesAndNothingIsMixed) {
  constexpr std::string_view types =
      "float[2,2] w = {1,2,3,4}, float16[2,2] h = {1,2,3,4}, float16[2,2] k = {1,2,3,4}";
  EXPECT_EQ(precision(types, "a = MatMul(x, w) \n b = MatMul(x, h) \n y = MatMul(x, k)"), "fp16");
  EXPECT_EQ(precision(types, "a = MatMul(x, w) \n y = MatMul(x, h)"), "mixed");
}

TEST(Precision, WithoutProductsIsTheTypeOfTheWeightsOrOfTheInterface) {
  EXPECT_EQ(precision("float16[2] w = {1,2}", "y = Add(x, w)"), "fp16");
  EXPECT_EQ(precision("", "y = Relu(x)", "float16"), "fp16");
  EXPECT_EQ(precision("", "y = Identity(x)", "int64"), "none");
}

TEST(Precision, LooksIntoSubgraphsAndFunctions) {
  const auto model = parse_text(R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
g (float[2,2] x, float16[2,2] h) => (float[2,2] y) { y = f.twice(x) }
<domain: "f", opset_import: ["" : 21]>
twice (x) => (y) { w = Constant <value = float16[2,2] {1,2,3,4}> () y = MatMul(x, w) })");
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_EQ(precision_of(*model), "fp16");
}

}  // namespace
}  // namespace hone
