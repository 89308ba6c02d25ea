#include "transform/quantize/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a plan says, in words: "x", "w weight axis 0", "y as x", "b bias".
std::string describe_plan(const QuantizePlan& plan) {
  std::vector<std::string> words;
  for (const TensorPlan& tensor : plan.tensors) {
    std::string word = tensor.value->name();
    if (tensor.is_weight) word += " weight";
    if (tensor.axis) word += " axis " + std::to_string(*tensor.axis);
    if (tensor.shares != nullptr) word += " as " + tensor.shares->name();
    words.push_back(word);
  }
  for (const BiasPlan& bias : plan.biases) words.push_back(bias.value->name() + " bias");
  return join(words, ", ");
}

QuantizeSettings settings_of(std::string_view preset) { return {.preset = *find_preset(preset)}; }

Model model_of(const std::string& graph) {
  auto model = parse_text("<opset_import: [\"\": 17]> g " + graph);
  EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
  return *std::move(model);
}

std::string planned(const std::string& graph, const QuantizeSettings& settings) {
  Model model = model_of(graph);
  return describe_plan(make_plan(model, settings).value());
}

struct Case {
  std::string sentence;
  std::string graph;
  std::string expected;
};

TEST(Plan, IsThatOfOnnxRuntimesTools) {
  const std::vector<Case> cases = {
      {"a Conv has a weight and a bias",
       "(float[1,1,4,4] x) => (float[1,2,4,4] y) <float[2,1,1,1] w = {1, 2}, float[2] b = {1, 2}>"
       "{ y = Conv(x, w, b) }",
       "x, y, w weight, b bias"},
      {"a MatMul of two activations has no weight",
       "(float[2,2] x, float[2,2] z) => (float[2,2] y) { y = MatMul(x, z) }", "x, z, y"},
      {"a constant beside an activation has the activations' type",
       "(float[2] x) => (float[2] y) <float[2] c = {1, 2}> { y = Add(x, c) }", "x, c, y"},
      {"a Relu behind a quantized tensor goes, and its output is what is quantized",
       "(float[2] x) => (float[2] y) <float[2] c = {1, 2}, float[2] t> { t = Add(x, c) y = Relu(t) "
       "}",
       "x, c, y"},
      {"a Relu whose input somebody else reads stays",
       "(float[2] x) => (float[2] y, float[2] z) <float[2] t>"
       "{ t = Mul(x, x) y = Relu(t) z = Tanh(t) }",
       "x, t, y"},
      {"a Relu of the model's input stays as it is", "(float[2] x) => (float[2] y) { y = Relu(x) }",
       ""},
      {"a chain of Relu and Clip goes as a whole",
       "(float[2] x) => (float[2] y) <float[2] t, float[2] u, float six = {6}, float zero = {0}>"
       "{ t = Mul(x, x) u = Relu(t) y = Clip(u, zero, six) }",
       "x, y"},
      {"moved numbers keep their scale, behind a quantized tensor only",
       "(float[2,3] x) => (float[3,2] y, float[3,2] z) <float[2,3] t>"
       "{ t = Mul(x, x) y = Transpose(t) z = Transpose(x) }",
       "x, t, y as t, z as x"},
      {"a Reshape of something in float stays in float",
       "(float[2,3] x) => (float[6] y) <int64[1] s = {6}> { y = Reshape(x, s) }", ""},
      {"a Gather from a table is quantized with it",
       "(int64[1] i) => (float[1,2] y) <float[3,2] table = {1, 2, 3, 4, 5, 6}>"
       "{ y = Gather(table, i) }",
       "table, y as table"},
      {"all parts of a Split have its input's scale",
       "(float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }", "x, y as x, z as x"},
      {"a Pad with zero keeps the scale",
       "(float[2] x) => (float[4] y) <int64[2] p = {1, 1}> { y = Pad(x, p) }", "x, y as x"},
      {"a Pad with another number has a scale of its own",
       "(float[2] x) => (float[4] y) <int64[2] p = {1, 1}, float v = {9}> { y = Pad(x, p, v) }",
       "x, v, y"},
      {"a Where is quantized between quantized tensors",
       "(bool[2] c, float[2] x) => (float[2] y, float[2] z) <float[2] t>"
       "{ t = Mul(x, x) y = Where(c, t, x) z = Where(c, t, w) w = Tanh(x) }",
       "x, t, y"},
      {"a LayerNormalization has a weight and a bias",
       "(float[2,2] x) => (float[2,2] y) <float[2] w = {1, 2}, float[2] b = {1, 2}>"
       "{ y = LayerNormalization(x, w, b) }",
       "x, w weight, y, b bias"},
      {"a bias of two nodes becomes two",
       "(float[1,2] x) => (float[1,2] y, float[1,2] z)"
       "<float[2,2] w = {1, 2, 3, 4}, float[2] b = {1, 2}>"
       "{ y = Gemm(x, w, b) z = Gemm(x, w, b) }",
       "x, y, w weight, z, b bias, b0 bias"},
      {"a constant made by a node is taken for an activation",
       "(float[2] x) => (float[2] y) { c = Constant <value = float {2}> () y = Mul(x, c) }",
       "x, y"},
      {"integers, and what has no type, stay as they are",
       "(int64[2] i, float[2] x) => (int64[2] j, float[2] y)"
       "{ j = Add(i, i) t = Tanh(x) y = Mul(t, x) }",
       "x, y"},
      {"an op nobody asked for stays in float", "(float[2] x) => (float[2] y) { y = Tanh(x) }", ""},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(planned(one.graph, settings_of("ort")), one.expected) << one.sentence;
  }
}

TEST(Plan, CountsConstantsOfNodesAsConstantsOutsideOfPresetOrt) {
  Model model = model_of(
      "(float[2] x) => (float[2] y) <float c> { c = Constant <value = float {2}> () y = Mul(x, c) "
      "}");
  const QuantizePlan ort = make_plan(model, settings_of("ort")).value();
  EXPECT_EQ(describe_plan(ort), "x, c, y");
  EXPECT_EQ(ort.tensors[1].constant, nullptr);
  const QuantizePlan cpu = make_plan(model, settings_of("cpu")).value();
  EXPECT_EQ(describe_plan(cpu), "x, c, y");
  EXPECT_NE(cpu.tensors[1].constant, nullptr);
}

const std::string clip_above_zero =
    "(float[2] x) => (float[2] y) <float[2] t, float one = {1}> { t = Mul(x, x) y = Clip(t, one) }";

TEST(Plan, KeepsAClipThatZeroLiesOutsideOf) {
  EXPECT_EQ(planned(clip_above_zero, settings_of("cpu")), "x, t, y");
}

TEST(Plan, RemovesItWithANoteWhereOnnxRuntimesToolsWould) {
  Model model = model_of(clip_above_zero);
  const QuantizePlan plan = make_plan(model, settings_of("ort")).value();
  EXPECT_EQ(describe_plan(plan), "x, y");
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("is removed as ONNX Runtime's tools do")));
}

TEST(Plan, KeepsReluWhereActivationsAreSymmetric) {
  QuantizeSettings settings = settings_of("ort");
  settings.symmetric = true;
  Model model = model_of("(float[2] x) => (float[2] y) <float[2] t> { t = Mul(x, x) y = Relu(t) }");
  const QuantizePlan plan = make_plan(model, settings).value();
  EXPECT_EQ(describe_plan(plan), "x, t, y");
  // What the Relu cuts off needs no integers.
  EXPECT_EQ(plan.tensors[1].measured_at, "y");
  EXPECT_EQ(plan.quantized_nodes, 2U);
  EXPECT_EQ(plan.removed_nodes, 0U);
}

TEST(Plan, GivesEachOutputChannelAScaleWhenAsked) {
  QuantizeSettings settings = settings_of("ort");
  settings.per_channel = true;
  const auto weight = [&](const std::string& graph) {
    const std::string words = planned(graph, settings);
    return words.substr(words.find("w weight"), std::string("w weight axis 0").size());
  };
  EXPECT_EQ(weight("(float[1,1,4,4] x) => (float[1,2,4,4] y) <float[2,1,1,1] w = {1, 2}>"
                   "{ y = Conv(x, w) }"),
            "w weight axis 0");
  EXPECT_EQ(weight("(float[1,2,4,4] x) => (float[1,1,4,4] y) <float[2,1,1,1] w = {1, 2}>"
                   "{ y = ConvTranspose(x, w) }"),
            "w weight axis 1");
  EXPECT_EQ(weight("(float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}>"
                   "{ y = Gemm <transB = 1> (x, w) }"),
            "w weight axis 0");
  EXPECT_EQ(weight("(float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}>"
                   "{ y = MatMul(x, w) }"),
            "w weight axis 1");
  // The scale of a LayerNormalization has no second axis.
  EXPECT_EQ(planned("(float[2,2] x) => (float[2,2] y) <float[2] w = {1, 2}>"
                    "{ y = LayerNormalization(x, w) }",
                    settings),
            "x, w weight, y");
}

TEST(Plan, QuantizesEveryOpForQnnAndFixesSixteenBitSigmoid) {
  QuantizeSettings settings = settings_of("qnn");
  settings.activation_type = ElementType::uint16;
  Model model =
      model_of("(float[2] x) => (float[2] y) <float[2] t> { t = Tanh(x) y = Sigmoid(t) }");
  const QuantizePlan plan = make_plan(model, settings).value();
  EXPECT_EQ(describe_plan(plan), "x, t, y");
  const auto scale_at = [&](std::size_t i) {
    return scale_for(*plan.tensors[i].fixed_range, {.type = ElementType::uint16});
  };
  EXPECT_EQ(scale_at(1), (Scale{0x1p-15F, 32768}));
  EXPECT_EQ(scale_at(2), (Scale{0x1p-16F, 0}));
}

TEST(Plan, FixesSoftmaxBetweenZeroAndOne) {
  Model model = model_of("(float[2] x) => (float[2] y) { y = Softmax(x) }");
  const QuantizePlan plan = make_plan(model, settings_of("ort")).value();
  EXPECT_EQ(plan.tensors.back().fixed_range, (RealRange{0, 1}));
  EXPECT_EQ(plan.tensors.front().fixed_range, std::nullopt);
}

TEST(Plan, LeavesOldPoolsAlone) {
  auto model = parse_text(
      "<opset_import: [\"\": 11]> g (float[1,1,4,4] x) => (float[1,1,3,3] y) <float[1,1,4,4] t>"
      "{ t = Mul(x, x) y = MaxPool <kernel_shape = [2, 2]> (t) }");
  EXPECT_EQ(describe_plan(make_plan(*model, settings_of("ort")).value()), "x, t");
}

TEST(Plan, TakesABiasWithAnOverrideForAWeight) {
  QuantizeSettings settings = settings_of("ort");
  settings.overrides["b"] = {.type = ElementType::int16};
  EXPECT_EQ(planned("(float[1,2] x) => (float[1,2] y)"
                    "<float[2,2] w = {1, 2, 3, 4}, float[2] b = {1, 2}> { y = Gemm(x, w, b) }",
                    settings),
            "x, y, w weight, b weight");
}

}  // namespace
}  // namespace hone
