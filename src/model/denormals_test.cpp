#include "model/denormals.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/text/text.h"

namespace hone {
namespace {

DenormalCount count_in_text(const std::string& graph) {
  const auto model = parse_text("<ir_version: 8, opset_import: [\"\" : 17]>\n" + graph);
  EXPECT_TRUE(model) << (model ? "" : model.error().what);
  return model ? count_denormal_weights(*model) : DenormalCount{};
}

TEST(Denormals, AreBelowTheSmallestNormalNumberAndNotZero) {
  const DenormalCount count = count_in_text(
      "g (float[6] x) => (float[6] y)\n"
      "<float[6] w = {1e-40, -1e-44, 0.0, -0.0, 1.1754944e-38, 1.0}>\n"
      "{ y = Mul(x, w) }");
  EXPECT_EQ(count.denormal, 2U);
  EXPECT_EQ(count.total, 6U);
}

TEST(Denormals, OfDoublesAreMuchSmaller) {
  const DenormalCount count = count_in_text(
      "g (double[3] x) => (double[3] y)\n"
      "<double[3] w = {1e-40, 1e-310, 0.0}>\n"
      "{ y = Mul(x, w) }");
  EXPECT_EQ(count.denormal, 1U);
  EXPECT_EQ(count.total, 3U);
}

TEST(Denormals, OfSixteenBitsAreNormalAsTheFloatsTheyAreComputedIn) {
  const DenormalCount count = count_in_text(
      "g (float16[2] x) => (float16[2] y)\n"
      "<float16[2] w = {1e-7, 1.0}>\n"
      "{ y = Mul(x, w) }");
  EXPECT_EQ(count.denormal, 0U);
  EXPECT_EQ(count.total, 0U);
}

TEST(Denormals, AreCountedInConstantsAndInSubgraphs) {
  const DenormalCount count = count_in_text(R"(
g (bool c, float[2] x) => (float[2] y) {
  k = Constant<value = float[2] {1e-40, 1.0}>()
  z = Add(x, k)
  y = If(c) <
    then_branch = one () => (float[2] a) <float[2] w = {1e-41, 1e-42}> { a = Mul(z, w) },
    else_branch = two () => (float[2] b) { b = Identity(z) }
  >
})");
  EXPECT_EQ(count.denormal, 3U);
  EXPECT_EQ(count.total, 4U);
}

}  // namespace
}  // namespace hone
