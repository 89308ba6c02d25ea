#include "inspect/analyze/qdq.h"

#include <gtest/gtest.h>

#include "inspect/analyze/integer_kernels.h"
#include "model/text/text.h"

namespace hone {
namespace {

Model model_of(std::string_view constants, std::string_view body) {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\n"
      "g (float[2,2] x) => (float[2,2] y) <" +
      std::string(constants) + "> {" + std::string(body) + "}";
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
  return model ? std::move(*model) : Model();
}

std::vector<std::string> problems(std::string_view constants, std::string_view body) {
  std::vector<std::string> texts;
  for (const QdqProblem& problem : check_qdq(model_of(constants, body))) {
    texts.push_back(problem.node + " of " + problem.tensor + ": " + problem.what);
  }
  return texts;
}

using Texts = std::vector<std::string>;
constexpr auto pair = "[q] i = QuantizeLinear(x, s, z)  [d] y = DequantizeLinear(i, s, z)";

TEST(Qdq, ASoundPairHasNoProblem) {
  EXPECT_EQ(problems("float s = {0.5}, uint8 z = {128}", pair), Texts{});
  EXPECT_EQ(problems("int8[2,2] w = {1,2,3,4}, float[2] s = {0.5,1}, int8[2] z = {0,0}",
                     "y = DequantizeLinear <axis = 0> (w, s, z)"),
            Texts{});
}

TEST(Qdq, AScaleMustBeAboveZeroAndFinite) {
  EXPECT_EQ(problems("float s = {0}, uint8 z = {128}", pair),
            (Texts{"q of x: its scale is not above 0", "d of y: its scale is not above 0"}));
  auto model = model_of("float s = {1}, uint8 z = {128}", pair);
  const float infinite = std::numeric_limits<float>::infinity();
  Value& scale = *model.graph->find("s");
  model.graph->set_initializer(scale, make_float_tensor("s", std::span(&infinite, 1), true));
  ASSERT_EQ(check_qdq(model).size(), 2u);
  EXPECT_EQ(check_qdq(model)[0].what, "its scale is not finite");
}

TEST(Qdq, AZeroPointMustHaveTheTypeOfTheIntegers) {
  EXPECT_EQ(problems("float s = {0.5}, uint8 z = {128}, int8 z2 = {0}",
                     "[q] i = QuantizeLinear(x, s, z)  [d] y = DequantizeLinear(i, s, z2)"),
            (Texts{"q of x: its zero point is not that of the DequantizeLinear behind it",
                   "d of y: its zero point is a int8 and its integers are uint8"}));
}

TEST(Qdq, ABiasHasNoZeroPointButZero) {
  EXPECT_EQ(problems("int32[2,2] w = {1,2,3,4}, float s = {0.5}, int32 z = {3}",
                     "[d] y = DequantizeLinear(w, s, z)"),
            Texts{"d of y: its zero point is not 0, as that of a 32-bit integer must be"});
}

TEST(Qdq, ScalesMustFitTheAxis) {
  EXPECT_EQ(problems("int8[2,2] w = {1,2,3,4}, float[3] s = {1,1,1}",
                     "[d] y = DequantizeLinear <axis = 0> (w, s)"),
            Texts{"d of y: it has 3 scales for an axis of 2"});
  EXPECT_EQ(problems("int8[2,2] w = {1,2,3,4}, float[2] s = {1,1}",
                     "[d] y = DequantizeLinear <axis = 2> (w, s)"),
            Texts{"d of y: its axis 2 is out of range"});
  EXPECT_EQ(problems("int8[2,2] w = {1,2,3,4}, float[2] s = {1,1}, int8 z = {0}",
                     "[d] y = DequantizeLinear <axis = 1> (w, s, z)"),
            Texts{"d of y: it has 2 scales and 1 zero points"});
}

TEST(Qdq, WhatIsQuantizedMustBeRead) {
  EXPECT_EQ(
      problems("float s = {0.5}, uint8 z = {128}", "[q] i = QuantizeLinear(x, s, z) y = Relu(x)"),
      Texts{"q of x: nobody uses what it makes"});
  EXPECT_EQ(
      problems("float s = {0.5}, uint8 z = {128}", "[q] i = QuantizeLinear(x, s, z) y = Relu(i)"),
      Texts{"q of x: no DequantizeLinear and no integer operator reads what it makes"});
}

TEST(Qdq, FloatsCannotBeDequantized) {
  EXPECT_EQ(problems("float[2,2] w = {1,2,3,4}, float s = {0.5}", "[d] y = DequantizeLinear(w, s)"),
            Texts{"d of y: it dequantizes float"});
}

TEST(Qdq, APairMustUndoItself) {
  EXPECT_EQ(problems("float s = {0.5}, float t = {0.25}, uint8 z = {128}",
                     "[q] i = QuantizeLinear(x, s, z)  [d] y = DequantizeLinear(i, t, z)"),
            Texts{"q of x: its scale is not that of the DequantizeLinear behind it"});
}

TEST(IntegerKernels, AQuantizedNodeIsReadFromAndWrittenToIntegers) {
  constexpr auto constants = "float s = {0.5}, uint8 z = {128}";
  const auto counts = [&](std::string_view body) {
    return count_quantized_floats(model_of(constants, body));
  };
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(counts("i = QuantizeLinear(x, s, z)  f = DequantizeLinear(i, s, z)  r = HardSwish(f)"
                   " j = QuantizeLinear(r, s, z)  y = DequantizeLinear(j, s, z)"),
            (Counts{{"HardSwish", 1}}));
  EXPECT_EQ(counts("i = QuantizeLinear(x, s, z)  f = DequantizeLinear(i, s, z)  y = Softmax(f)"),
            Counts{});
}

TEST(IntegerKernels, SmallWeightsMakeANodeAQuantizedOne) {
  const Model model = model_of("int8[2,2] w = {1,2,3,4}, float s = {0.5}",
                               "f = DequantizeLinear(w, s) y = MatMul(x, f)");
  EXPECT_EQ(count_quantized_floats(model).at("MatMul"), 1u);
  EXPECT_TRUE(count_integer_ops(model).empty());
}

TEST(IntegerKernels, IntegerOperatorsCountAndConvertersDoNot) {
  const Model model = model_of("uint8[2,2] w = {1,2,3,4}, uint8 z = {0}, float s = {1}",
                               "i = QuantizeLinear(x, s, z) j = MatMulInteger(i, w) y = Cast <to = "
                               "1> (j)");
  EXPECT_EQ(count_integer_ops(model), (std::map<std::string, std::uint64_t>{{"MatMulInteger", 1}}));
}

}  // namespace
}  // namespace hone
