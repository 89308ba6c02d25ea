#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(Gelu, IsSaidWithErfBelowOpset20) {
  EXPECT_EQ(converted("g (float[4] x) => (float[4] y) { [act] y = Gelu(x) }", 20, 19), same(R"(
    g (float[4] x) => (float[4] y) <float act_sqrt2 = {1.41421354}, float act_one = {1}, float act_half = {0.5}> {
      [act_div] act_div = Div(x, act_sqrt2)
      [act_erf] act_erf = Erf(act_div)
      [act_add] act_add = Add(act_erf, act_one)
      [act_mul] act_mul = Mul(x, act_add)
      [act] y = Mul(act_mul, act_half)
    })",
                                                                                            19));
}

TEST(Gelu, ByTanhIsSaidWithTanh) {
  const std::string text = converted(
      "g (double[4] x) => (double[4] y) { y = Gelu <approximate = \"tanh\"> (x) }", 20, 9);
  EXPECT_NE(text.find("Tanh("), std::string::npos);
  EXPECT_NE(text.find("double y_coefficient = {0.044715}"), std::string::npos) << text;
}

TEST(Gelu, IsRefusedWhenItsTypeIsNotKnown) {
  EXPECT_EQ(
      converted("g (float[4] x) => (float[4] y) { t = com.acme.Op(x) [act] y = Gelu(t) }", 20, 19),
      "refused: node 'act' (Gelu): the element type of its data is not known, and opset 19 needs "
      "constants of that "
      "type");
}

TEST(HardSwish, IsItsInputTimesHardSigmoid) {
  EXPECT_EQ(converted("g (float[4] x) => (float[4] y) { y = HardSwish(x) }", 14, 13),
            same(R"(g (float[4] x) => (float[4] y) {
    y_hard_sigmoid = HardSigmoid <alpha = 0.166666672, beta = 0.5> (x)
    y = Mul(x, y_hard_sigmoid)
  })",
                 13));
}

TEST(Mish, IsItsInputTimesTanhOfSoftplus) {
  EXPECT_EQ(converted("g (float[4] x) => (float[4] y) { y = Mish(x) }", 18, 17),
            same(R"(g (float[4] x) => (float[4] y) {
    y_softplus = Softplus(x)
    y_tanh = Tanh(y_softplus)
    y = Mul(x, y_tanh)
  })",
                 17));
}

TEST(Swish, IsItsInputTimesSigmoid) {
  EXPECT_EQ(converted("g (float[4] x) => (float[4] y) { y = Swish(x) }", 24, 23),
            same(R"(g (float[4] x) => (float[4] y) {
    y_sigmoid = Sigmoid(x)
    y = Mul(x, y_sigmoid)
  })",
                 23));
}

TEST(GreaterOrEqual, IsGreaterOrEqualAndNotTheOppositeOfLess) {
  EXPECT_EQ(
      converted("g (float[4] a, float[4] b) => (bool[4] y) { y = GreaterOrEqual(a, b) }", 12, 11),
      same(R"(g (float[4] a, float[4] b) => (bool[4] y) {
    y_strict = Greater(a, b)
    y_equal = Equal(a, b)
    y = Or(y_strict, y_equal)
  })",
           11));
  // Equal of opset 10 does not compare floats.
  EXPECT_EQ(
      converted("g (float[4] a, float[4] b) => (bool[4] y) { y = LessOrEqual(a, b) }", 12, 10),
      "refused: the Equal that makes 'y_equal': 'a' is float, which Equal of opset 10 does not "
      "take");
}

TEST(CastLike, IsACastToTheTypeThatIsKnown) {
  EXPECT_EQ(converted("g (float[4] a, int32 b) => (int32[4] y) { y = CastLike(a, b) }", 15, 14),
            same("g (float[4] a, int32 b) => (int32[4] y) { y = Cast <to = 6> (a) }", 14));
}

TEST(Gemm, GetsAZeroWhereOpset10WantsAThirdInput) {
  EXPECT_EQ(converted("g (float16[2,2] a) => (float16[2,2] y) { y = Gemm(a, a) }", 11, 10),
            same("g (float16[2,2] a) => (float16[2,2] y) <float16 y_zero = {0}> { y = Gemm(a, a, "
                 "y_zero) }",
                 10));
}

TEST(Pow, OfTwoTypesIsRefusedBelowOpset12) {
  EXPECT_EQ(
      converted("g (float[2] a, int64 b) => (float[2] y) { [p] y = Pow(a, b) }", 12, 11),
      "refused: node 'p' (Pow): it raises float to int64, and opset 11 wants both of one type");
}

TEST(ReduceMean, ThatDoesNothingIsRefusedBelowOpset18) {
  EXPECT_EQ(
      converted(
          "g (float[2] x) => (float[2] y) { [mean] y = ReduceMean <noop_with_empty_axes = 1> (x) }",
          18, 17),
      "refused: node 'mean' (ReduceMean): it has no axes and noop_with_empty_axes, and opset 17 "
      "would reduce over "
      "all axes");
}

TEST(DFT, TakesTheDefaultAxisAsItIsWhereBothVersionsMeanTheSame) {
  constexpr std::string_view graph = "g (float[1,6,1] x) => (float[1,6,2] y) { y = DFT(x) }";
  EXPECT_EQ(converted(graph, 17, 20), same(graph, 20));
  EXPECT_EQ(converted(graph, 20, 17), same(graph, 17));
  EXPECT_EQ(converted("g (float[1,4,6,1] x) => (float y) { y = DFT(x) }", 20, 19),
            same("g (float[1,4,6,1] x) => (float y) { y = DFT <axis = -2> (x) }", 19));
}

}  // namespace
}  // namespace hone::opset
