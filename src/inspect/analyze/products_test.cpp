// Matrix products, convolutions and what moves elements: what counts, and what only looks alike.
#include "inspect/analyze/fusions_for_tests.h"

namespace hone {
namespace {

std::string matrices(std::string_view body) {
  return "g (float[2,3] x, float[3,2] z) => (float[?,?] y) <float[3,2] w = {1,2,3,4,5,6}, float[2] "
         "b = {1,2}, float[2,2] c = {1,2,3,4}, float k = {0.5}, float[2,2] m> {" +
         std::string(body) + "}";
}

TEST(Products, AMatMulAndABiasCount) {
  EXPECT_EQ(count_in("matmul-add-fusion", matrices("m = MatMul(x, w) y = Add(b, m)")), 1u);
  EXPECT_EQ(count_in("matmuladd-reshapegemm", matrices("m = MatMul(x, w) y = Add(m, b)")), 1u);
  EXPECT_EQ(count_in("matmul-add-fusion", matrices("m = MatMul(x, w) y = Add(m, c)")), 0u);
  EXPECT_EQ(count_in("matmul-add-fusion", matrices("m = MatMul(x, w) n = Add(m, b) y = Mul(m, n)")),
            0u);
}

TEST(Products, TwoOpenDimensionsAreTooManyForAGemmBetweenReshapes) {
  constexpr auto graph =
      "g (float[N,M,3] x) => (float[N,M,2] y) <float[3,2] w = {1,2,3,4,5,6}, float[2] b = {1,2}> "
      "{ m = MatMul(x, w) y = Add(m, b) }";
  EXPECT_EQ(count_in("matmul-add-fusion", graph), 1u);
  EXPECT_EQ(count_in("matmuladd-reshapegemm", graph), 0u);
}

TEST(Products, AnActivationCountsWhenItAloneReadsTheProduct) {
  EXPECT_EQ(count_in("matmul-activation-fusion", matrices("m = MatMul(x, w) y = Relu(m)")), 1u);
  EXPECT_EQ(
      count_in("matmul-activation-fusion", matrices("m = MatMul(x, w) r = Relu(m) y = Add(m, r)")),
      0u);
  EXPECT_EQ(count_in("gemm-activation-fusion", matrices("m = Gemm(x, w, b) y = Tanh(m)")), 1u);
  EXPECT_EQ(count_in("gemm-activation-fusion", matrices("m = Gemm(x, w, b) y = Softmax(m)")), 0u);
}

TEST(Products, OnlyATransposeOfTheLastTwoAxesGoesIntoAMatMul) {
  const auto graph = [](std::string_view perm) {
    return "g (float[2,3,3] x, float[2,3,3] z) => (float[2,3,3] y) <float[2,3,3] t> { t = "
           "Transpose <perm = " +
           std::string(perm) + "> (z) y = MatMul(x, t) }";
  };
  EXPECT_EQ(count_in("matmul-transpose-fusion", graph("[0,2,1]")), 1u);
  EXPECT_EQ(count_in("matmul-transpose-fusion", graph("[1,0,2]")), 0u);
  EXPECT_EQ(count_in("matmul-transpose-fusion", graph("[7,0,2]")), 0u);
}

TEST(Products, AScaleIsOneNumber) {
  EXPECT_EQ(count_in("matmul-scale-fusion", matrices("m = MatMul(x, z) y = Mul(m, k)")), 1u);
  EXPECT_EQ(count_in("matmul-scale-fusion", matrices("s = Div(x, k) y = MatMul(s, z)")), 1u);
  EXPECT_EQ(count_in("matmul-scale-fusion", matrices("m = MatMul(x, z) y = Mul(m, b)")), 0u);
}

TEST(Products, ASumGoesIntoAGemmWithoutABias) {
  EXPECT_EQ(count_in("gemm-sum-fusion", matrices("m = Gemm(x, z) y = Sum(m, c)")), 1u);
  EXPECT_EQ(count_in("gemm-sum-fusion", matrices("m = Gemm(x, z, b) y = Sum(m, c)")), 0u);
  EXPECT_EQ(count_in("gemm-sum-fusion", matrices("m = Gemm(x, z) y = Sum(m, c, c)")), 0u);
}

TEST(Products, TransposesAroundAGemmCount) {
  EXPECT_EQ(count_in("gemm-transpose-fusion", matrices("m = Gemm(x, z) y = Transpose(m)")), 1u);
  EXPECT_EQ(count_in("gemm-transpose-fusion", matrices("t = Transpose(x) y = Gemm(t, c)")), 1u);
  EXPECT_EQ(count_in("gemm-transpose-fusion", matrices("y = Gemm(x, z)")), 0u);
}

std::string convolution(std::string_view body) {
  return "g (float[1,2,4,4] x, float[1,2,4,4] z) => (float[1,2,?,?] y) <float[2,2,1,1] w = "
         "{1,2,3,4}, float[2] p = {1,2}, float[2,1,1] c = {1,2}, float[4,4] wide = "
         "{1,2,3,4,1,2,3,4,1,2,3,4,1,2,3,4}, float zero = {0}, float six = {6}, int64[8] border = "
         "{0,0,1,1,0,0,1,1}, int64[8] channels = {0,1,0,0,0,0,0,0}> {" +
         std::string(body) + "}";
}

TEST(Convolutions, WhatIsConstantPerChannelGoesIntoTheWeights) {
  EXPECT_EQ(count_in("conv-add-fusion", convolution("a = Conv(x, w) y = Add(a, c)")), 1u);
  EXPECT_EQ(count_in("conv-mul-fusion", convolution("a = Conv(x, w) y = Mul(c, a)")), 1u);
  EXPECT_EQ(count_in("conv-add-fusion", convolution("a = Conv(x, w) y = Add(a, wide)")), 0u);
  EXPECT_EQ(count_in("conv-add-fusion", convolution("a = Conv(x, w) y = Add(a, z)")), 0u);
  EXPECT_EQ(count_in("conv-mul-fusion", convolution("a = Conv(x, w) y = Mul(a, z)")), 0u);
}

TEST(Convolutions, ABatchNormalizationOfConstantsGoesIntoTheWeights) {
  EXPECT_EQ(count_in("conv-bn-fusion",
                     convolution("a = Conv(x, w) y = BatchNormalization(a, p, p, p, p)")),
            1u);
  EXPECT_EQ(
      count_in("conv-bn-fusion",
               convolution("q = Relu(p) a = Conv(x, w) y = BatchNormalization(a, q, p, p, p)")),
      0u);
}

TEST(Convolutions, AnActivationBehindAConvolutionCounts) {
  EXPECT_EQ(count_in("conv-activation-fusion", convolution("a = Conv(x, w) y = Relu(a)")), 1u);
  EXPECT_EQ(
      count_in("conv-activation-fusion", convolution("a = Conv(x, w) y = Clip(a, zero, six)")), 1u);
  EXPECT_EQ(count_in("conv-activation-fusion",
                     convolution("a = Conv(x, w) s = Sigmoid(a) y = Mul(a, s)")),
            0u);
}

TEST(Convolutions, AResidualBeforeAnActivationCountsOnce) {
  EXPECT_EQ(count_in("conv-add-activation-fusion",
                     convolution("a = Conv(x, w) s = Add(a, z) y = Relu(s)")),
            1u);
  EXPECT_EQ(count_in("conv-add-activation-fusion",
                     convolution("a = Conv(x, w) d = Conv(z, w) s = Add(a, d) y = Relu(s)")),
            1u);
  EXPECT_EQ(count_in("conv-add-activation-fusion",
                     convolution("a = Conv(x, w) s = Add(a, c) y = Relu(s)")),
            0u);
}

TEST(Convolutions, ABorderOfZerosGoesIntoAConvolution) {
  EXPECT_EQ(count_in("pad-fusion", convolution("a = Pad(x, border) y = Conv(a, w)")), 1u);
  EXPECT_EQ(count_in("pad-fusion", convolution("a = Pad(x, border, six) y = Conv(a, w)")), 0u);
  EXPECT_EQ(count_in("pad-fusion", convolution("a = Pad(x, channels) y = Conv(a, w)")), 0u);
  EXPECT_EQ(
      count_in("pad-fusion", convolution("a = Pad <mode = \"edge\"> (x, border) y = Conv(a, w)")),
      0u);
}

std::string rows(std::string_view body) {
  return "g (float[2,3] x) => (float[?,?] y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] "
         "two = {2}, int64[1] four = {4}, int64[1] all = {9223372036854775807}, int64[2] same = "
         "{2,3}, int64[3] more = {2,2,3}, float[2] c = {1,2}, float[4,3] j> {" +
         std::string(body) + "}";
}

TEST(Moves, ASliceOfEverythingCounts) {
  EXPECT_EQ(count_in("slice-elimination", rows("y = Slice(x, zero, all, one)")), 1u);
  EXPECT_EQ(count_in("slice-elimination", rows("y = Slice(x, one, all, one)")), 0u);
  EXPECT_EQ(count_in("slice-elimination", rows("y = Slice(x, zero, all, one, two)")), 0u);
}

TEST(Moves, AnExpandToTheSameShapeCounts) {
  EXPECT_EQ(count_in("expand-elimination",
                     "g (float[2,3] x) => (float[2,3] y) <int64[2] s = {2,3}> {y = Expand(x, s)}"),
            1u);
  EXPECT_EQ(count_in("expand-elimination",
                     "g (float[1,3] x) => (float[2,3] y) <int64[2] s = {2,3}> {y = Expand(x, s)}"),
            0u);
}

TEST(Moves, AnUnsqueezeOfAConstantCounts) {
  EXPECT_EQ(count_in("unsqueeze-elimination", rows("u = Unsqueeze(c, zero) y = MatMul(u, x)")), 1u);
  EXPECT_EQ(count_in("unsqueeze-elimination", rows("y = Unsqueeze(x, zero)")), 0u);
}

TEST(Moves, SlicesThatUndoAConcatCount) {
  EXPECT_EQ(count_in("concat-slice-elimination", rows(R"(j = Concat <axis = 0> (x, x)
    a = Slice(j, zero, two, zero)  b = Slice(j, two, all, zero)  y = Add(a, b))")),
            1u);
  EXPECT_EQ(count_in("concat-slice-elimination", rows(R"(j = Concat <axis = 0> (x, x)
    a = Slice(j, zero, one, zero)  b = Slice(j, two, all, zero)  y = Add(a, b))")),
            0u);
  EXPECT_EQ(count_in("concat-slice-elimination", rows("j = Concat <axis = 0> (x, x) y = Relu(j)")),
            0u);
}

TEST(Moves, ATransposeCountsThatMeetsAnother) {
  EXPECT_EQ(count_in("transpose-optimizer", rows("a = Transpose(x) r = Relu(a) y = Transpose(r)")),
            1u);
  EXPECT_EQ(
      count_in("transpose-optimizer", rows("a = Transpose(x) r = Softmax(a) y = Transpose(r)")),
      0u);
}

TEST(Moves, ATransposeOfSixAxesBetweenReshapesCounts) {
  EXPECT_EQ(
      count_in("highdimRTR-lowdimRTR",
               "g (float[1,4,6,2] x) => (float[4,6,2] y) <int64[6] w = {1,2,2,2,3,2}, int64[3] "
               "r = {4,6,2}> { a = Reshape(x, w) t = Transpose <perm = [0,1,3,2,4,5]> (a) y = "
               "Reshape(t, r) }"),
      1u);
  EXPECT_EQ(count_in("highdimRTR-lowdimRTR",
                     "g (float[1,4,6,2] x) => (float[4,6,2] y) <int64[4] w = {4,2,3,2}, int64[3] r "
                     "= {4,6,2}> { a = Reshape(x, w) t = Transpose <perm = [0,2,1,3]> (a) y = "
                     "Reshape(t, r) }"),
            0u);
}

}  // namespace
}  // namespace hone
