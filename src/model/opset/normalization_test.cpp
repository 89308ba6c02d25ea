#include "model/opset/testing.h"

namespace hone::opset {
namespace {

TEST(LayerNormalization, IsWrittenOutBelowOpset17) {
  EXPECT_EQ(converted(R"(g (float[2,4] x, float[4] s, float[4] b) => (float[2,4] y) {
    [ln] y = LayerNormalization <axis = -1, epsilon = 0.5> (x, s, b)
  })",
                      17, 16),
            same(R"(g (float[2,4] x, float[4] s, float[4] b) => (float[2,4] y)
      <float ln_two = {2}, float ln_epsilon = {0.5}> {
    [ln_mean] ln_mean = ReduceMean <axes = [-1], keepdims = 1> (x)
    [ln_centered] ln_centered = Sub(x, ln_mean)
    [ln_pow] ln_pow = Pow(ln_centered, ln_two)
    [ln_variance] ln_variance = ReduceMean <axes = [-1], keepdims = 1> (ln_pow)
    [ln_add_epsilon] ln_add_epsilon = Add(ln_variance, ln_epsilon)
    [ln_deviation] ln_deviation = Sqrt(ln_add_epsilon)
    [ln_normalized] ln_normalized = Div(ln_centered, ln_deviation)
    [ln_scaled] ln_scaled = Mul(ln_normalized, s)
    [ln] y = Add(ln_scaled, b)
  })",
                 16));
}

TEST(LayerNormalization, ComputesHalfPrecisionInFloatAsStashTypeAsks) {
  const std::string text = converted(
      "g (float16[2,4] x, float16[4] s) => (float16[2,4] y) { [ln] y = LayerNormalization(x, s) }",
      17, 16);
  EXPECT_NE(text.find("ln_cast = Cast <to = 1> (x)"), std::string::npos) << text;
  EXPECT_NE(text.find("ln_cast_back = Cast <to = 10> (ln_normalized)"), std::string::npos) << text;
  EXPECT_NE(text.find("y = Mul(ln_cast_back, s)"), std::string::npos) << text;
}

TEST(LayerNormalization, FromAnAxisInFrontNeedsTheRank) {
  EXPECT_NE(converted("g (float[2,3,4] x, float[3,4] s) => (float y) { y = LayerNormalization "
                      "<axis = 1> (x, s) }",
                      17, 16)
                .find("axes = [-2, -1]"),
            std::string::npos);
  EXPECT_EQ(converted(R"(g (float x, float[3,4] s) => (float y) {
    t = com.acme.Op(x)
    u = Cast <to = 1> (t)
    [ln] y = LayerNormalization <axis = 1> (u, s)
  })",
                      17, 16),
            "refused: node 'ln' (LayerNormalization): its axis counts from the front, and the rank "
            "of its input is "
            "not known");
}

TEST(LayerNormalization, IsRefusedWhereItsStatisticsAreUsed) {
  EXPECT_EQ(converted("g (float[2,4] x, float[4] s) => (float y, float m) { [ln] y, m = "
                      "LayerNormalization(x, s) }",
                      17, 16),
            "refused: node 'ln' (LayerNormalization): its mean or deviation is used, which opset "
            "16 has no op for");
}

TEST(RMSNormalization, IsWrittenOutBelowOpset23) {
  EXPECT_EQ(
      converted(
          "g (float[2,4] x, float[4] s) => (float[2,4] y) { [rms] y = RMSNormalization(x, s) }", 23,
          22),
      same(R"(g (float[2,4] x, float[4] s) => (float[2,4] y)
      <float rms_two = {2}, int64[1] rms_variance_axes = {-1}, float rms_epsilon = {1e-05}> {
    [rms_pow] rms_pow = Pow(x, rms_two)
    [rms_variance] rms_variance = ReduceMean <keepdims = 1> (rms_pow, rms_variance_axes)
    [rms_add_epsilon] rms_add_epsilon = Add(rms_variance, rms_epsilon)
    [rms_deviation] rms_deviation = Sqrt(rms_add_epsilon)
    [rms_normalized] rms_normalized = Div(x, rms_deviation)
    [rms] y = Mul(rms_normalized, s)
  })",
           22));
}

TEST(BatchNormalization, DropsTheTrainingModeItIsNotIn) {
  constexpr std::string_view graph = R"(g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {
    y = BatchNormalization <epsilon = 0.5> (x, s, s, s, s)
  })";
  EXPECT_EQ(converted(graph, 9, 21), same(graph, 21));
  EXPECT_EQ(converted(R"(g (float[1,2,3] x, float[2] s) => (float[1,2,3] y) {
    y = BatchNormalization <epsilon = 0.5, training_mode = 0> (x, s, s, s, s)
  })",
                      21, 9),
            same(graph, 9));
}

TEST(BatchNormalization, InTrainingIsRefusedBothWays) {
  EXPECT_EQ(converted("g (float[1,2] x, float[2] s) => (float y, float m) { [bn] y, m = "
                      "BatchNormalization(x, s, s, s, s) }",
                      13, 14),
            "refused: node 'bn' (BatchNormalization): it is in training mode (it returns "
            "statistics), and opset 14 returns "
            "other ones");
  EXPECT_EQ(converted("g (float[1,2] x, float[2] s) => (float y) "
                      "{ [bn] y = BatchNormalization <training_mode = 1> (x, s, s, s, s) }",
                      14, 13),
            "refused: node 'bn' (BatchNormalization): it is in training mode, which opset 13 says "
            "in another way");
}

TEST(BatchNormalization, OfMixedTypesIsRefusedBelowOpset15) {
  EXPECT_EQ(converted("g (float16[1,2] x, float[2] s) => (float16 y) { [bn] y = "
                      "BatchNormalization(x, s, s, s, s) }",
                      15, 14),
            "refused: node 'bn' (BatchNormalization): its data is float16 and its statistics are "
            "float; opset 14 wants one "
            "type");
}

TEST(GroupNormalization, HasScalesPerGroupBefore21AndPerChannelAfter) {
  constexpr std::string_view per_group = R"(g (float[1,4,3] x) => (float[1,4,3] y)
      <float[2] n_scale = {1, 2}, float[2] n_bias = {3, 4}> {
    [n] y = GroupNormalization <num_groups = 2> (x, n_scale, n_bias)
  })";
  const std::string per_channel = converted(per_group, 20, 21);
  EXPECT_NE(per_channel.find("{1, 1, 2, 2}"), std::string::npos) << per_channel;
  EXPECT_NE(per_channel.find("{3, 3, 4, 4}"), std::string::npos) << per_channel;
  Model model = model_of(20, per_group);
  const Digest before = *content_fingerprint(model);
  ASSERT_TRUE(convert_opset(model, 21).has_value());
  ASSERT_TRUE(convert_opset(model, 20).has_value());
  EXPECT_EQ(*content_fingerprint(model), before);
}

TEST(GroupNormalization, IsRefusedWhereScalesVaryInsideAGroup) {
  EXPECT_EQ(
      converted(
          R"(g (float[1,4,3] x) => (float[1,4,3] y) <float[4] s = {1, 2, 2, 2}, float[4] b = {0, 0, 0, 0}> {
    [n] y = GroupNormalization <num_groups = 2> (x, s, b)
  })",
          21, 20),
      "refused: node 'n' (GroupNormalization): its scale or bias varies inside a group, which "
      "opset 20 cannot say");
}

TEST(Dropout, InTrainingIsRefusedBelowOpset12) {
  EXPECT_EQ(converted("g (float[2] x) => (float[2] y) <float r = {0.5}, bool t = {1}> { [drop] y = "
                      "Dropout(x, r, t) }",
                      12, 11),
            "refused: node 'drop' (Dropout): it is in training mode, which opset 11 does not have");
  EXPECT_EQ(converted("g (float[2] x) => (float[2] y) <float r = {0.25}, bool t = {0}> "
                      "{ [drop] y = Dropout <seed = 7> (x, r, t) }",
                      12, 11),
            same("g (float[2] x) => (float[2] y) { [drop] y = Dropout <ratio = 0.25> (x) }", 11));
}

TEST(Dropout, IsRefusedWhereItsMaskIsUsed) {
  EXPECT_EQ(
      converted("g (float[2] x) => (float[2] y, bool[2] m) { [drop] y, m = Dropout(x) }", 11, 12),
      "refused: node 'drop' (Dropout): its mask is used, and what it holds changed with opsets 10 "
      "and 12");
}

}  // namespace
}  // namespace hone::opset
