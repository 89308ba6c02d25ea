#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(Constant, OfNumbersIsATensorBelowOpset12) {
  EXPECT_EQ(converted(R"(g () => (int64[2] a, float b, string[2] c) {
    a = Constant <value_ints = [1, 2]> ()
    b = Constant <value_float = 1.5> ()
    c = Constant <value_strings = ["u", "v"]> ()
  })",
                      13, 11),
            same(R"(g () => (int64[2] a, float b, string[2] c) {
    a = Constant <value = int64[2] {1, 2}> ()
    b = Constant <value = float {1.5}> ()
    c = Constant <value = string[2] {"u", "v"}> ()
  })",
                 11));
}

TEST(Scatter, IsCalledScatterElementsFromOpset11On) {
  constexpr std::string_view graph =
      "g (float[2,2] x, int64[1,2] i) => (float[2,2] y) { y = Scatter <axis = 1> (x, i, x) }";
  EXPECT_EQ(converted(graph, 9, 11), same("g (float[2,2] x, int64[1,2] i) => (float[2,2] y) { y = "
                                          "ScatterElements <axis = 1> (x, i, x) }",
                                          11));
  expect_round_trip(graph, 9, 21);
}

TEST(ScatterElements, CountsItsAxisFromTheFrontAsScatter) {
  EXPECT_EQ(
      converted("g (float[2,2] x, int64[1,2] i) => (float[2,2] y) { y = ScatterElements <axis = "
                "-1> (x, i, x) }",
                11, 10),
      same("g (float[2,2] x, int64[1,2] i) => (float[2,2] y) { y = Scatter <axis = 1> (x, i, x) }",
           10));
}

TEST(ScatterND, ThatTakesTheLargestIsRefusedBelowOpset18) {
  EXPECT_EQ(converted("g (float[2] x, int64[1,1] i) => (float[2] y) { [s] y = ScatterND <reduction "
                      "= \"max\"> (x, i, x) }",
                      18, 17),
            "refused: node 's' (ScatterND): its reduction is 'max', which opset 17 does not have");
}

TEST(GridSample, CallsItsModesAnotherWayFromOpset20On) {
  for (const auto& [before, after] : {std::pair{"bilinear", "linear"}, {"bicubic", "cubic"}}) {
    const auto graph = [](const std::string& mode) {
      return "g (float[1,1,4,4] x, float[1,2,2,2] p) => (float y) { y = GridSample <mode = \"" +
             mode + "\"> (x, p) }";
    };
    EXPECT_EQ(converted(graph(before), 17, 20), same(graph(after), 20));
    expect_round_trip(graph(before), 16, 22);
  }
  constexpr std::string_view by_default =
      "g (float[1,1,4,4] x, float[1,2,2,2] p) => (float y) { y = GridSample(x, p) }";
  EXPECT_EQ(converted(by_default, 16, 20), same(by_default, 20));
}

TEST(GridSample, OfAVolumeIsRefusedBelowOpset20) {
  EXPECT_EQ(
      converted(
          "g (float[1,1,4,4,4] x, float[1,2,2,2,3] p) => (float y) { [gs] y = GridSample(x, p) }",
          20, 19),
      "refused: node 'gs' (GridSample): its data has 5 dimensions, and opset 19 knows only images "
      "of 4");
}

TEST(RoiAlign, KeepsItsOldDefaultByName) {
  constexpr std::string_view graph =
      "g (float[1,1,8,8] x, float[1,4] r, int64[1] b) => (float y) { y = RoiAlign(x, r, b) }";
  EXPECT_EQ(
      converted(graph, 10, 16),
      same("g (float[1,1,8,8] x, float[1,4] r, int64[1] b) => (float y) "
           "{ y = RoiAlign <coordinate_transformation_mode = \"output_half_pixel\"> (x, r, b) }",
           16));
  expect_round_trip(graph, 10, 22);
  EXPECT_EQ(converted("g (float[1,1,8,8] x, float[1,4] r, int64[1] b) => (float y) { [roi] y = "
                      "RoiAlign(x, r, b) }",
                      16, 15),
            "refused: node 'roi' (RoiAlign): its coordinate_transformation_mode is 'half_pixel', "
            "and opset 15 knows only "
            "output_half_pixel");
}

TEST(QuantizeLinear, WithOneScaleLosesAnAxisThatMeantNothing) {
  constexpr std::string_view graph =
      R"(g (float[2,3] x) => (uint8[2,3] y) <float s = {0.5}, uint8 z = {3}> {
    y = QuantizeLinear <axis = 0> (x, s, z)
  })";
  EXPECT_EQ(converted(graph, 13, 12),
            same(R"(g (float[2,3] x) => (uint8[2,3] y) <float s = {0.5}, uint8 z = {3}> {
    y = QuantizeLinear(x, s, z)
  })",
                 12));
}

TEST(QuantizeLinear, WithAScalePerAxisIsRefusedBelowOpset13) {
  EXPECT_EQ(
      converted(R"(g (float[2,3] x) => (uint8[2,3] y) <float[2] s = {0.5, 1}, uint8[2] z = {3, 4}> {
    [q] y = QuantizeLinear <axis = 0> (x, s, z)
  })",
                13, 12),
      "refused: node 'q' (QuantizeLinear): it has a scale per axis, which opset 12 does not have");
}

TEST(QuantizeLinear, SaysItsOutputTypeByAZeroPointBelowOpset21) {
  EXPECT_EQ(converted(R"(g (float[2,3] x) => (int8[2,3] y) <float s = {0.5}> {
    [q] y = QuantizeLinear <output_dtype = 3> (x, s)
  })",
                      21, 20),
            same(R"(g (float[2,3] x) => (int8[2,3] y) <float s = {0.5}, int8 q_zero_point = {0}> {
    [q] y = QuantizeLinear(x, s, q_zero_point)
  })",
                 20));
}

TEST(QuantizeLinear, OfBlocksIsRefusedBelowOpset21) {
  EXPECT_EQ(
      converted(R"(g (float[2,4] x) => (uint8[2,4] y) <float[2,2] s = {1, 1, 1, 1}> {
    [q] y = QuantizeLinear <block_size = 2> (x, s)
  })",
                21, 20),
      "refused: node 'q' (QuantizeLinear): opset 20 has no 'block_size', and here it matters");
}

TEST(DequantizeLinear, ToAnotherTypeThanItsScaleIsRefusedBelowOpset23) {
  EXPECT_EQ(converted("g (int8[2] x) => (float16[2] y) <float s = {0.5}> "
                      "{ [dq] y = DequantizeLinear <output_dtype = 10> (x, s) }",
                      23, 22),
            "refused: node 'dq' (DequantizeLinear): its output is float16 and its scale float; "
            "opset 22 wants one type");
  EXPECT_EQ(
      converted("g (int8[2] x) => (float[2] y) <float s = {0.5}> { y = DequantizeLinear "
                "<output_dtype = 1> (x, s) }",
                23, 22),
      same("g (int8[2] x) => (float[2] y) <float s = {0.5}> { y = DequantizeLinear(x, s) }", 22));
}

TEST(Attention, IsRefusedBelowOpset23) {
  EXPECT_EQ(converted("g (float[1,1,2,2] q) => (float[1,1,2,2] y) { [att] y = Attention(q, q, q) }",
                      23, 22),
            "refused: node 'att' (Attention): Attention came with opset 23, and opset 22 has no "
            "way to say it");
}

}  // namespace
}  // namespace hone::opset
