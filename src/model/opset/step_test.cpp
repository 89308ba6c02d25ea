// What the rows of history.inc say without a function of their own: types, attributes that came,
// attributes that became inputs, axes that count from the back.

#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(MovedAttribute, BecomesAConstantInputAndComesBack) {
  struct Case {
    int from;
    int to;
    std::string_view graph;
  };
  constexpr Case cases[] = {
      {17, 21, "g (float[2,3,4] x) => (float y) { y = ReduceMean <axes = [1], keepdims = 0> (x) }"},
      {17, 18, "g (float[2,3,4] x) => (float y) { y = ReduceL2 <axes = [-1, 0]> (x) }"},
      {12, 13, "g (float[2,3,4] x) => (float y) { y = ReduceSum <axes = [1]> (x) }"},
      {12, 17, "g (float[1,3] x) => (float[3] y) { y = Squeeze <axes = [0]> (x) }"},
      {9, 21, "g (float[3] x) => (float[1,3] y) { y = Unsqueeze <axes = [0]> (x) }"},
      {11, 21,
       "g (float[6] x) => (float[2] a, float[4] b) { a, b = Split <axis = 0, split = [2, 4]> (x) "
       "}"},
      {10, 11, "g (float[6] x) => (float[6] y) { y = Clip <min = 0.0, max = 6.0> (x) }"},
      {9, 17, "g (float[6] x) => (float[6] y) { y = Clip <max = 6.0> (x) }"},
      {9, 17, "g (float16[6] x) => (float16[6] y) { y = Clip <min = -0.5> (x) }"},
      {9, 17, "g (double[6] x) => (double[6] y) { y = Clip <min = 0.1> (x) }"},
      {10, 21,
       "g (float[2,2] x) => (float[4,3] y) { y = Pad <mode = \"constant\", pads = [1, 0, 1, 1], "
       "value = 2.5> (x) }"},
      {10, 18, "g (float[2,2] x) => (float[4,3] y) { y = Pad <pads = [1, 0, 1, 1]> (x) }"},
      {9, 10,
       "g (float[4,5] x) => (float[2,5] y) { y = Slice <axes = [0], ends = [3], starts = [1]> (x) "
       "}"},
      {9, 21,
       "g (float[4,5] x) => (float[2,5] y) { y = Slice <ends = [3, 9], starts = [1, 0]> (x) }"},
      {9, 21, "g (float[5] x) => (float[2] v, int64[2] i) { v, i = TopK <k = 2> (x) }"},
      {9, 21, "g (float[5] x) => (float[5] y) { y = Dropout <ratio = 0.25> (x) }"},
      {17, 20, "g (float[1,6,1] x) => (float[1,6,2] y) { y = DFT <axis = 1> (x) }"},
  };
  for (const Case& each : cases) expect_round_trip(each.graph, each.from, each.to);
}

TEST(MovedAttribute, IsNotMissedWhereTheDefaultDoes) {
  constexpr std::string_view graph =
      "g (float[2,3] x) => (float y, float[2,3] z) { y = ReduceMean(x) z = Clip(x) }";
  EXPECT_EQ(converted(graph, 9, 21), same(graph, 21));
  EXPECT_EQ(converted(graph, 21, 9), same(graph, 9));
}

TEST(MovedAttribute, IsReadFromAConstantNodeWhichGoesWhenNobodyElseUsesIt) {
  constexpr std::string_view one_use = R"(g (float[2,3] x) => (float[2,1] y) {
    axes = Constant <value = int64[1] {1}> ()
    y = ReduceMean(x, axes)
  })";
  EXPECT_EQ(converted(one_use, 18, 17),
            same("g (float[2,3] x) => (float[2,1] y) { y = ReduceMean <axes = [1]> (x) }", 17));
  constexpr std::string_view two_uses = R"(g (float[2,3] x) => (float[2,1] y, int64[1] z) {
    axes = Constant <value_ints = [1]> ()
    y = ReduceMean(x, axes)
    z = Identity(axes)
  })";
  EXPECT_EQ(converted(two_uses, 18, 17), same(R"(g (float[2,3] x) => (float[2,1] y, int64[1] z) {
    axes = Constant <value_ints = [1]> ()
    y = ReduceMean <axes = [1]> (x)
    z = Identity(axes)
  })",
                                              17));
}

TEST(MovedAttribute, IsRefusedWhenItIsComputedAtRunTime) {
  EXPECT_EQ(
      converted("g (float[2,3] x, int64[1] axes) => (float y) { [mean] y = ReduceMean(x, axes) }",
                18, 17),
      "refused: node 'mean' (ReduceMean): its input 'axes' is computed at run time, and opset 17 "
      "needs it fixed "
      "in the node");
}

TEST(MovedAttribute, IsRefusedWhenTheCallerMayOverrideIt) {
  Model model = model_of(
      18, R"(g (float[2,3] x, int64[1] axes) => (float y) { [mean] y = ReduceMean(x, axes) })");
  const std::int64_t axis = 1;
  model.graph->set_initializer(*model.graph->inputs()[1], make_int64_tensor("axes", {&axis, 1}));
  const auto report = convert_opset(model, 17);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().what,
            "node 'mean' (ReduceMean): its input 'axes' can be overridden by the caller, and opset "
            "17 needs it fixed "
            "in the node");
  EXPECT_EQ(report.error().hint, "remove 'axes' from the graph inputs");
}

TEST(MovedAttribute, OfTheDatasTypeIsRefusedWhenThatTypeIsNotKnown) {
  constexpr std::string_view graph = R"(g (float[2] x) => (float[2] y) {
    t = com.acme.Op(x)
    [clip] y = Clip <min = 0.0> (t)
  })";
  EXPECT_EQ(converted(graph, 10, 11),
            "refused: node 'clip' (Clip): its 'min' becomes an input of the same element type as "
            "its data, and that "
            "type is not known");
}

TEST(MovedAttribute, IsRefusedWhereAFloatCannotHoldIt) {
  EXPECT_EQ(
      converted(
          R"(g (double[2] x) => (double[2] y) <double low = {0.1}> { [clip] y = Clip(x, low) })",
          11, 10),
      "refused: node 'clip' (Clip): its min is not one value that a float attribute can hold");
}

TEST(MovedAttribute, LeavesNoEmptyInputsBehind) {
  EXPECT_EQ(converted("g (float[2] x) => (float[2] y) { y = Clip(x, , ) }", 13, 10),
            same("g (float[2] x) => (float[2] y) { y = Clip(x) }", 10));
}

TEST(NewAttribute, IsDroppedWhereItSaysWhatWasSoBefore) {
  struct Case {
    int from;
    int to;
    std::string_view before;
    std::string_view after;
  };
  constexpr Case cases[] = {
      {14, 13, "Reshape <allowzero = 0> (x, s)", "Reshape(x, s)"},
      {19, 18, "Cast <saturate = 1, to = 10> (x)", "Cast <to = 10> (x)"},
      {19, 18, "Cast <saturate = 0, to = 10> (x)", "Cast <to = 10> (x)"},
      {18, 17, "ReduceMean <noop_with_empty_axes = 0> (x)", "ReduceMean(x)"},
      {12, 11, "ArgMax <axis = 0, select_last_index = 0> (x)", "ArgMax <axis = 0> (x)"},
      {22, 9, "MaxPool <ceil_mode = 0, dilations = [1, 1], kernel_shape = [2, 2]> (x)",
       "MaxPool <kernel_shape = [2, 2]> (x)"},
      {11, 10, "DepthToSpace <blocksize = 2, mode = \"DCR\"> (x)",
       "DepthToSpace <blocksize = 2> (x)"},
      {16, 15, "ScatterND <reduction = \"none\"> (x, s, x)", "ScatterND(x, s, x)"},
  };
  for (const Case& each : cases) {
    const auto graph = [](std::string_view op) {
      return "g (float[1,4,2,2] x, int64[1] s) => (y) { y = " + std::string(op) + " }";
    };
    EXPECT_EQ(converted(graph(each.before), each.from, each.to), same(graph(each.after), each.to));
  }
}

TEST(NewAttribute, IsRefusedWhereItMatters) {
  EXPECT_EQ(
      converted("g (float[4] x) => (int64 y) { [arg] y = ArgMax <select_last_index = 1> (x) }", 12,
                11),
      "refused: node 'arg' (ArgMax): opset 11 has no 'select_last_index', and here it matters");
  EXPECT_EQ(converted("g (float[1,1,9] x) => (float y) { [pool] y = MaxPool <dilations = [2], "
                      "kernel_shape = [2]> (x) }",
                      10, 9),
            "refused: node 'pool' (MaxPool): opset 9 has no 'dilations', and here it matters");
  EXPECT_EQ(converted("g (float[4] x) => (float[2] v, int64[2] i) <int64[1] k = {2}> "
                      "{ [top] v, i = TopK <largest = 0> (x, k) }",
                      11, 10),
            "refused: node 'top' (TopK): opset 10 has no 'largest', and here it matters");
}

TEST(AddedTypes, AreRefusedOnTheWayDown) {
  EXPECT_EQ(converted("g (bfloat16[4] x) => (bfloat16[4] y) { [sin] y = Sin(x) }", 22, 21),
            "refused: node 'sin' (Sin): 'x' is bfloat16, which Sin of opset 21 does not take");
  EXPECT_EQ(
      converted("g (float[4] x) => (float8e4m3fn[4] y) { [cast] y = Cast <to = 17> (x) }", 19, 18),
      "refused: node 'cast' (Cast): 'y' is float8e4m3fn, which Cast of opset 18 does not take");
  EXPECT_EQ(
      converted(
          "g (uint16[4] x) => (float[4] y) <float s = {0.5}> { [dq] y = DequantizeLinear(x, s) }",
          21, 20),
      "refused: node 'dq' (DequantizeLinear): 'x' is uint16, which DequantizeLinear of opset 20 "
      "does not take");
  EXPECT_EQ(converted("g (int32[4] x) => (int32[4] y) { [max] y = Max(x, x) }", 12, 11),
            "refused: node 'max' (Max): 'x' is int32, which Max of opset 11 does not take");
}

TEST(AddedTypes, AreFoundBehindNodesThatDoNotDeclareThem) {
  EXPECT_EQ(converted(R"(g (float[4] x) => (float[4] z) {
    t = Cast <to = 16> (x)
    [sin] u = Sin(t)
    z = Cast <to = 1> (u)
  })",
                      22, 21),
            "refused: node 'sin' (Sin): 't' is bfloat16, which Sin of opset 21 does not take");
}

TEST(AddedTypes, DoNotMistakeIndicesForData) {
  // int64 is new for the data of Pad in opset 11; the pads were always int64.
  constexpr std::string_view graph =
      "g (float[2] x) => (float[4] y) <int64[2] pads = {1, 1}> { y = Pad(x, pads) }";
  EXPECT_EQ(converted(graph, 11, 10),
            same("g (float[2] x) => (float[4] y) { y = Pad <pads = [1, 1]> (x) }", 10));
}

TEST(NegativeAxis, IsCountedFromTheFrontBelowOpset11) {
  EXPECT_EQ(
      converted("g (float[2,3] x) => (float[2,6] y) { y = Concat <axis = -1> (x, x) }", 13, 10),
      same("g (float[2,3] x) => (float[2,6] y) { y = Concat <axis = 1> (x, x) }", 10));
  EXPECT_EQ(
      converted("g (float[2,3] x) => (float[2,3,1] y) { y = Unsqueeze <axes = [-1]> (x) }", 11, 10),
      same("g (float[2,3] x) => (float[2,3,1] y) { y = Unsqueeze <axes = [2]> (x) }", 10));
}

TEST(NegativeAxis, IsRefusedWhereTheRankIsNotKnown) {
  EXPECT_EQ(
      converted(
          "g (float x) => (float y) { t = com.acme.Op(x) [cat] y = Concat <axis = -1> (t, t) }", 13,
          10),
      "refused: node 'cat' (Concat): its 'axis' counts from the back, which opset 10 does not "
      "know, and the rank "
      "of its input is not known");
}

}  // namespace
}  // namespace hone::opset
