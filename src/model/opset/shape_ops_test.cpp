#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(Split, IsToldTheNumberOfPartsFromOpset18On) {
  constexpr std::string_view equal =
      "g (float[6] x) => (float[3] a, float[3] b) { a, b = Split <axis = 0> (x) }";
  EXPECT_EQ(converted(equal, 17, 18), same("g (float[6] x) => (float[3] a, float[3] b) { a, b = "
                                           "Split <axis = 0, num_outputs = 2> (x) }",
                                           18));
  expect_round_trip(equal, 17, 21);
}

TEST(Split, IntoUnevenPartsGetsTheirSizes) {
  EXPECT_EQ(
      converted("g (float[7] x) => (float[3] a, float[3] b, float[1] c) { [s] a, b, c = Split "
                "<num_outputs = 3> (x) }",
                18, 17),
      same("g (float[7] x) => (float[3] a, float[3] b, float[1] c) <int64[3] s_split = {3, 3, 1}> "
           "{ [s] a, b, c = Split(x, s_split) }",
           17));
}

TEST(Pad, OfSomeAxesPadsAllOfThemBelowOpset18) {
  EXPECT_EQ(
      converted(
          R"(g (float[1,2,4] x) => (float[1,2,7] y) <int64[2] pads = {1, 2}, int64[1] axes = {-1}> {
    [pad] y = Pad(x, pads, , axes)
  })",
          18, 17),
      same(R"(g (float[1,2,4] x) => (float[1,2,7] y) <int64[6] pad_pads = {0, 0, 1, 0, 0, 2}> {
    [pad] y = Pad(x, pad_pads)
  })",
           17));
}

TEST(Pad, KeepsAnEmptyValueThatEveryVersionAllows) {
  constexpr std::string_view graph =
      "g (float[4] x) => (float[6] y) <int64[2] pads = {1, 1}> { y = Pad <mode = \"reflect\"> (x, "
      "pads, ) }";
  EXPECT_EQ(converted(graph, 21, 17), same(graph, 17));
}

TEST(Pad, ThatWrapsIsRefusedBelowOpset19) {
  EXPECT_EQ(
      converted(
          "g (float[4] x, int64[2] p) => (float[6] y) { [pad] y = Pad <mode = \"wrap\"> (x, p) }",
          19, 18),
      "refused: node 'pad' (Pad): its mode is 'wrap', which opset 18 does not have");
}

TEST(Reshape, DropsAllowzeroWhereTheShapeHasNoZero) {
  EXPECT_EQ(
      converted("g (float[4] x) => (float[2,2] y) <int64[2] s = {2, -1}> { y = Reshape <allowzero "
                "= 1> (x, s) }",
                14, 13),
      same("g (float[4] x) => (float[2,2] y) <int64[2] s = {2, -1}> { y = Reshape(x, s) }", 13));
  EXPECT_EQ(converted("g (float[0,4] x) => (float[4,0] y) <int64[2] s = {4, 0}> "
                      "{ [r] y = Reshape <allowzero = 1> (x, s) }",
                      14, 13),
            "refused: node 'r' (Reshape): its shape has a zero that means zero, which opset 13 "
            "cannot say");
}

TEST(Shape, OfAPartIsASliceBelowOpset15) {
  EXPECT_EQ(
      converted("g (float[2,3,4] x) => (int64[1] y) { [s] y = Shape <start = -1> (x) }", 15, 14),
      same(R"(g (float[2,3,4] x) => (int64[1] y)
      <int64[1] s_starts = {-1}, int64[1] s_ends = {9223372036854775807}> {
    [s_whole] s_whole = Shape(x)
    [s] y = Slice(s_whole, s_starts, s_ends)
  })",
           14));
  // What was inserted for opset 14 goes on to opset 9 like any other node.
  EXPECT_EQ(
      converted("g (float[2,3,4] x) => (int64[1] y) { [s] y = Shape <start = 1, end = 2> (x) }", 15,
                9),
      same(R"(g (float[2,3,4] x) => (int64[1] y) {
    [s_whole] s_whole = Shape(x)
    [s] y = Slice <ends = [2], starts = [1]> (s_whole)
  })",
           9));
  EXPECT_EQ(converted("g (float[2,3] x) => (int64[2] y) { y = Shape <start = 0> (x) }", 15, 14),
            same("g (float[2,3] x) => (int64[2] y) { y = Shape(x) }", 14));
}

TEST(Slice, WithStepsIsRefusedInOpset9) {
  constexpr std::string_view graph = R"(g (float[4] x) => (float[2] y)
      <int64[1] s = {0}, int64[1] e = {4}, int64[1] a = {0}, int64[1] t = {2}> { [cut] y = Slice(x, s, e, a, t) })";
  EXPECT_EQ(converted(graph, 10, 9),
            "refused: node 'cut' (Slice): it has steps, which opset 9 does not");
}

TEST(Slice, CountsItsAxesFromTheFrontInOpset10) {
  EXPECT_EQ(
      converted(
          R"(g (float[4,5] x) => (float[4,3] y) <int64[1] s = {0}, int64[1] e = {3}, int64[1] a = {-1}> {
    [cut] y = Slice(x, s, e, a)
  })",
          11, 10),
      same(R"(g (float[4,5] x) => (float[4,3] y)
      <int64[1] s = {0}, int64[1] e = {3}, int64[1] cut_axes = {1}> { [cut] y = Slice(x, s, e, cut_axes) })",
           10));
}

}  // namespace
}  // namespace hone::opset
