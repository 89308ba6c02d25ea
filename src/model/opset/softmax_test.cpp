#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(Softmax, StaysWhereTheAxisIsTheLastOne) {
  for (const std::string op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    const std::string last =
        "g (float[2,3,4] x) => (float[2,3,4] y) { y = " + op + " <axis = 2> (x) }";
    EXPECT_EQ(converted(last, 12, 13), same(last, 13));
    EXPECT_EQ(converted(last, 13, 9), same(last, 9));
    const std::string from_the_back =
        "g (float x) => (float y) { t = com.acme.Op(x) y = " + op + " <axis = -1> (t) }";
    EXPECT_EQ(converted(from_the_back, 12, 13), same(from_the_back, 13));
    EXPECT_EQ(converted(from_the_back, 13, 12), same(from_the_back, 12));
  }
}

TEST(Softmax, WithoutAnAxisMeansTheSecondOfTwoInBothVersions) {
  constexpr std::string_view graph = "g (float[2,3] x) => (float[2,3] y) { y = Softmax(x) }";
  EXPECT_EQ(converted(graph, 12, 13), same(graph, 13));
  EXPECT_EQ(converted(graph, 13, 12), same(graph, 12));
}

TEST(Softmax, OverSeveralDimensionsIsFlattenedAround) {
  EXPECT_EQ(converted("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax(x) }", 12, 13),
            same(R"(g (float[2,3,4] x) => (float[2,3,4] y) {
    y_shape = Shape(x)
    y_flat = Flatten <axis = 1> (x)
    y_rows = Softmax(y_flat)
    y = Reshape(y_rows, y_shape)
  })",
                 13));
}

TEST(Softmax, OfUnknownRankIsFlattenedAroundToo) {
  EXPECT_EQ(
      converted("g (float x) => (float y) { t = com.acme.Op(x) [sm] y = Softmax <axis = 3> (t) }",
                10, 17),
      same(R"(g (float x) => (float y) {
    t = com.acme.Op(x)
    [sm_shape] sm_shape = Shape(t)
    [sm_flat] sm_flat = Flatten <axis = 3> (t)
    [sm_rows] sm_rows = Softmax(sm_flat)
    [sm] y = Reshape(sm_rows, sm_shape)
  })",
           17));
}

TEST(Softmax, AlongAMiddleAxisIsTransposedAroundOnTheWayDown) {
  EXPECT_EQ(
      converted("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = -2> (x) }", 13, 12),
      same(R"(g (float[2,3,4] x) => (float[2,3,4] y) {
    y_axis_last = Transpose <perm = [0, 2, 1]> (x)
    y_rows = Softmax <axis = 2> (y_axis_last)
    y = Transpose <perm = [0, 2, 1]> (y_rows)
  })",
           12));
}

TEST(Softmax, WithoutAnAxisIsToldToTakeTheLast) {
  EXPECT_EQ(converted("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax(x) }", 13, 12),
            same("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = -1> (x) }", 12));
}

TEST(Softmax, IsRefusedDownwardsWhenItsAxisMayNotBeTheLast) {
  EXPECT_EQ(
      converted("g (float x) => (float y) { t = com.acme.Op(x) [sm] y = Softmax <axis = 1> (t) }",
                13, 12),
      "refused: node 'sm' (Softmax): opset 12 works on all dimensions from the axis on, and "
      "whether axis 1 is the "
      "last one is not known");
}

TEST(Softmax, SeesTheRankThroughNodesWithoutTypes) {
  constexpr std::string_view graph =
      R"(g (float[2,12] x, float[4,5] w) => (float[2,3,5] z) <int64[3] s = {0, 3, 4}> {
    t = Reshape(x, s)
    u = MatMul(t, w)
    v = Relu(u)
    z = Softmax <axis = 2> (v)
  })";
  EXPECT_EQ(converted(graph, 11, 13), same(graph, 13));
}

}  // namespace
}  // namespace hone::opset
