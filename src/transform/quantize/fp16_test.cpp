#include "transform/quantize/fp16.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr auto folder = HONE_SOURCE_DIR "/tests/fixtures/golden/weights/";

std::vector<double> halves(const std::vector<float>& values) {
  return to_doubles(*to_fp16(*make_float_tensor("w", values)).value().tensor).value();
}

TEST(ToFp16, IsWithinHalfAStepOfFloat16) {
  Random random(5);
  std::vector<float> values(10000);
  for (float& value : values) {
    const double power = random.uniform() * 28 - 14;
    value = static_cast<float>((random.uniform() < 0.5 ? -1 : 1) * std::exp2(power));
  }
  const std::vector<double> rounded = halves(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(std::fabs(rounded[i] - values[i]), std::fabs(values[i]) * 0x1p-11);
  }
}

TEST(ToFp16, ClampsMagnitudesAndKeepsZeroSignAndInfinity) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(halves({7e4F, -1e6F, 1e-9F, -1e-9F, 0.0F, infinity}),
              ElementsAre(65504, -65504, 0x1p-24, -0x1p-24, 0, infinity));
  EXPECT_TRUE(std::isnan(halves({std::nanf("")}).front()));
}

TEST(ToFp16, CountsWhatDidNotFit) {
  const auto made = to_fp16(*make_float_tensor("w", std::vector<float>{7e4F, 1e-9F, 1, 0})).value();
  EXPECT_EQ(made.note.too_large, 1u);
  EXPECT_EQ(made.note.too_small, 1u);
  EXPECT_FALSE(made.note.subnormal_only);
  const auto tiny = to_fp16(*make_float_tensor("w", std::vector<float>{1e-5F, 0, -2e-6F})).value();
  EXPECT_TRUE(tiny.note.subnormal_only);
}

TEST(ConvertToFp16, ConvertsWeightsBitForBitAsOnnxRuntimesConverter) {
  Model model = load_model(folder + std::string("float.onnx")).value();
  const Model golden = load_model(folder + std::string("fp16.onnx")).value();
  for (Node& node : model.graph->nodes()) {
    node.output(0)->type = Type::tensor(ElementType::float32);
  }
  const Fp16Report report = convert_to_fp16(model, {}).value();
  EXPECT_EQ(report.nodes, 5u);
  EXPECT_EQ(report.casts, 6u) << "three inputs and three outputs";
  std::size_t compared = 0;
  for (const Value* expected : golden.graph->initializers()) {
    const Value* value = model.graph->find(expected->name());
    ASSERT_NE(value, nullptr) << expected->name();
    EXPECT_EQ(value->initializer()->bytes().value(), expected->initializer()->bytes().value())
        << expected->name();
    ++compared;
  }
  EXPECT_EQ(compared, 6u);
  ASSERT_EQ(report.ranges.size(), 1u);
  EXPECT_EQ(report.ranges.front().tensor, "extremes");
  EXPECT_EQ(report.ranges.front().too_large, 3u);
  EXPECT_EQ(report.ranges.front().too_small, 2u);
}

struct Converted {
  Model model;
  Fp16Report report;
  std::string text;  // its graph
};
Converted convert(std::string_view text, const Fp16Options& options = {}) {
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what << model.error().cause;
  auto report = convert_to_fp16(*model, options);
  EXPECT_TRUE(report) << report.error().what;
  std::string printed = print_text(*model->graph, {.half_values = true});
  return {std::move(*model), std::move(*report), std::move(printed)};
}

TEST(ConvertToFp16, PutsCastsAtTheEdgesAndKeepsTheNames) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[2] t> { t = Add(x, w) y = Relu(t) })");
  EXPECT_EQ(result.text, R"(g (float[2] x) => (float[2] y)
<
  float16[2] w = {1.0, 2.0},
  float16[2] t,
  float16[2] y_float16,
  float16[2] x_float16
>
{
  [x_float16_cast] x_float16 = Cast <to = 10> (x)
  t = Add(x_float16, w)
  y_float16 = Relu(t)
  [y_float_cast] y = Cast <to = 1> (y_float16)
}
)");
}

TEST(ConvertToFp16, ConvertsInputsAndOutputsOnRequest) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) { y = Relu(x) })",
                                   {.keep_io_types = false});
  EXPECT_THAT(result.text, HasSubstr("(float16[2] x) => (float16[2] y)"));
  EXPECT_EQ(result.report.casts, 0u);
}

TEST(ConvertToFp16, CastsAValueOnceForAllThatStayFloat) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y, float[2] z) <float[2] t, float[2] lim = {1, 2}> {
      t = Relu(x)  [a] y = Max(t, lim)  [b] z = Min(t, lim) })");
  EXPECT_THAT(result.text, HasSubstr("y = Max(t_float, lim)"));
  EXPECT_THAT(result.text, HasSubstr("z = Min(t_float, lim)"));
  EXPECT_THAT(result.text, HasSubstr("float[2] lim = {1, 2}"));
  EXPECT_EQ(result.report.casts, 2u) << "x and t, and nothing behind Max and Min";
  ASSERT_EQ(result.report.left_alone.size(), 2u);
  EXPECT_EQ(result.report.left_alone[0].node, "node 'a' (Max)");
  EXPECT_EQ(result.report.left_alone[0].reason, "Max is kept in float");
}

TEST(ConvertToFp16, GivesAConstantThatBothKindsUseToEachInItsOwnType) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float[2] t, float[2] w = {1, 0.1}> {
      t = Add(x, w)  y = Max(t, w) })");
  EXPECT_THAT(result.text, HasSubstr("t = Add(x_float16, w_float16)"));
  EXPECT_THAT(result.text, HasSubstr("y = Max(t_float, w)"));
}

TEST(ConvertToFp16, ConvertsWhatNamesATypeInAnAttribute) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (int64[1] n) => (float[M] y, float[1] z)
    <float[1] c, float[M] f, float k, float[2] r, float[1] s> {
      c = Cast <to = 1> (n)  f = ConstantOfShape(n)  k = Constant <value_float = 1e6> ()
      r = RandomNormal <shape = [2]> ()  s = Add(c, k)  y = Add(f, k)  z = ReduceSum(s) })");
  EXPECT_THAT(result.text, HasSubstr("c = Cast <to = 10> (n)"));
  EXPECT_THAT(result.text, HasSubstr("ConstantOfShape <value = float16[1] {0.0}> (n)"));
  EXPECT_THAT(result.text, HasSubstr("k = Constant <value = float16 {65504.0}> ()"));
  EXPECT_THAT(result.text, HasSubstr("RandomNormal <shape = [2], dtype = 10>"));
  ASSERT_EQ(result.report.ranges.size(), 1u);
  EXPECT_EQ(result.report.ranges.front().tensor, "k");
}

TEST(ConvertToFp16, KeepsTheScalesOfResizeFloat) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[1,1,2,2] x) => (float[1,1,4,4] y) <float[4] s = {1, 1, 2, 2}> {
      y = Resize(x, , s) })");
  EXPECT_THAT(result.text, HasSubstr("float[4] s = {1, 1, 2, 2}"));
  EXPECT_THAT(result.text, HasSubstr("Resize(x_float16, , s)"));
}

constexpr auto branches = R"(<opset_import: ["" : 17]>
    g (float[2] x, bool c) => (float[2] y) <float[2] t> {
      t = Relu(x)
      [if] y = If(c) <then_branch = a () => (float[2] p) { p = Relu(t) },
                      else_branch = b () => (float[2] q) { q = Max(t) }> })";

TEST(ConvertToFp16, GivesBranchesTheSameTypes) {
  const Converted result = convert(branches);
  EXPECT_THAT(result.text, HasSubstr("a () => (float16[2] p)"));
  EXPECT_THAT(result.text, HasSubstr("b () => (float16[2] q_float16)"));
  EXPECT_THAT(result.text, HasSubstr("q = Max(t_float)"));
}

TEST(ConvertToFp16, LeavesAllInsideANodeThatStaysFloat) {
  const Converted result =
      convert(branches, {.takes = [](const Node& node) { return node.name != "if"; }});
  EXPECT_THAT(result.text, HasSubstr("a () => (float[2] p)"));
  EXPECT_THAT(result.text, HasSubstr("p = Relu(t_float)"));
  EXPECT_THAT(result.text, HasSubstr("q = Max(t_float)"));
}

TEST(ConvertToFp16, LeavesSequencesOfFloatsAlone) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float[2] t, seq(float[2]) s, int64 i = {0}> {
      t = Relu(x)  s = SequenceConstruct(t)  y = SequenceAt(s, i) })");
  EXPECT_THAT(result.text, HasSubstr("SequenceConstruct(t_float)"));
  EXPECT_EQ(result.report.left_alone.front().reason, "it works on floats that are no plain tensor");
}

TEST(ConvertToFp16, LeavesDomainsItDoesNotKnowAlone) {
  const Converted result = convert(R"(<opset_import: ["" : 17, "mine" : 1]>
    g (float[2] x) => (float[2] y) { y = mine.Relu(x) })");
  EXPECT_EQ(result.report.casts, 0u);
  EXPECT_EQ(result.report.left_alone.front().reason, "its domain is not known to have float16");
}

TEST(ConvertToFp16, LeavesAModelWithoutFloatsAsItIs) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (int64[2] x) => (int64[2] y) { y = Abs(x) })");
  EXPECT_EQ(result.report.nodes, 0u);
  EXPECT_THAT(result.report.left_alone, IsEmpty());
  EXPECT_THAT(result.text, Not(HasSubstr("Cast")));
}

TEST(ConvertToFp16, LeavesAModelThatIsFloat16AlreadyAsItIs) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float16[2] h, float16[2] t> {
      h = Cast <to = 10> (x)  t = Relu(h)  y = Cast <to = 1> (t) })");
  EXPECT_EQ(result.report.nodes, 0u);
  EXPECT_EQ(result.report.casts, 0u);
  EXPECT_THAT(result.report.left_alone, IsEmpty());
}

TEST(ConvertToFp16, GivesNewNodesNamesOfTheirOwn) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float16[2] x_float16, float[2] u, float[2] t> {
      [x_float16_cast] x_float16 = Cast <to = 10> (x)  u = Cast <to = 1> (x_float16)
      t = Relu(x)  y = Add(t, u) })");
  EXPECT_EQ(result.text.find("[x_float16_cast]"), result.text.rfind("[x_float16_cast]"));
}

TEST(ConvertToFp16, LeavesNodesWithAValueOfUnknownTypeAsTheyAre) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float[2] t> { t = Relu(x) hidden = Relu(t) y = Relu(hidden) })");
  EXPECT_THAT(result.text, HasSubstr("hidden = Relu(t_float)"));
  EXPECT_THAT(result.text, HasSubstr("y = Relu(hidden)"));
  ASSERT_EQ(result.report.left_alone.size(), 2u);
  EXPECT_EQ(result.report.left_alone.front().reason, "the type of 'hidden' is not known");
}

TEST(ConvertToFp16, LeavesABranchWhoseOutputIsOfUnknownTypeAsItIs) {
  const Converted result = convert(R"(<opset_import: ["" : 17]>
    g (float[2] x, bool c) => (float[2] y) {
      y = If(c) <then_branch = a () => (p) { p = Relu(x) },
                 else_branch = b () => (float[2] q) { q = Tanh(x) }> })");
  EXPECT_THAT(result.text, HasSubstr("p = Relu(x)"));
  EXPECT_THAT(result.text, HasSubstr("q = Tanh(x)"));
  EXPECT_EQ(result.report.casts, 0u);
}

}  // namespace
}  // namespace hone
