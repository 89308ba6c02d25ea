#include "transform/quantize/insert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Each node as "outputs = op(inputs)", in the order of the graph.
std::vector<std::string> lines_of(const Model& model) {
  const auto names = [](const std::vector<Value*>& values) {
    std::vector<std::string> list;
    for (const Value* value : values) list.push_back(value->name());
    return join(list, ", ");
  };
  std::vector<std::string> lines;
  for (const Node& node : model.graph->nodes()) {
    lines.push_back(names(node.outputs()) + " = " + node.op_type + "(" + names(node.inputs()) +
                    ")");
  }
  return lines;
}

struct Quantized {
  Model model;
  InsertReport report;
};

Quantized quantized(const std::string& graph, const Ranges& ranges,
                    const QuantizeSettings& settings = {.preset = *find_preset("ort")},
                    const std::string& domain = "") {
  Model model = parse_text("<opset_import: [\"\": 17]> g " + graph).value();
  const QuantizePlan plan = make_plan(model, settings).value();
  for (const std::string& name : tensors_to_measure(plan, settings)) {
    EXPECT_TRUE(ranges.contains(name)) << name;
  }
  const ScaleMap scales = find_scales(plan, settings, ranges).value();
  const auto report = insert_quantization(model, plan, scales, domain);
  EXPECT_TRUE(report) << report.error().what;
  return {std::move(model), *report};
}

std::vector<double> numbers_in(const Model& model, const char* name) {
  const Value* value = model.graph->find(name);
  if (value == nullptr || !value->initializer()) return {};
  const Tensor& tensor = *value->initializer();
  if (is_float(tensor.type)) return to_doubles(tensor).value();
  const auto whole = to_ints(tensor).value();
  return {whole.begin(), whole.end()};
}

// The node that makes the value.
const Node& maker_of(const Model& model, const char* value) {
  return *model.graph->find(value)->producer();
}

const std::string gemm =
    "(float[1,2] x) => (float[1,2] y)"
    "<float[2,2] w = {1, -2, 3, 127}, float[2] b = {1, -2}> { y = Gemm(x, w, b) }";

TEST(Insert, NamesEverythingAsOnnxRuntimesToolsDo) {
  const Quantized result = quantized(gemm, {{"x", {0, 255}}, {"y", {-128, 127}}});
  EXPECT_THAT(
      lines_of(result.model),
      ElementsAre(
          "x_QuantizeLinear_Output = QuantizeLinear(x, x_scale, x_zero_point)",
          "x_DequantizeLinear_Output = "
          "DequantizeLinear(x_QuantizeLinear_Output, x_scale, x_zero_point)",
          "w_DequantizeLinear_Output = DequantizeLinear(w_quantized, w_scale, w_zero_point)",
          "b = DequantizeLinear(b_quantized, b_quantized_scale, b_quantized_zero_point)",
          "y_QuantizeLinear_Input = "
          "Gemm(x_DequantizeLinear_Output, w_DequantizeLinear_Output, b)",
          "y_QuantizeLinear_Output = "
          "QuantizeLinear(y_QuantizeLinear_Input, y_scale, y_zero_point)",
          "y = DequantizeLinear(y_QuantizeLinear_Output, y_scale, y_zero_point)"));
  EXPECT_EQ(result.report.activations, 2U);
  EXPECT_EQ(result.report.weights, 1U);
  EXPECT_EQ(result.report.biases, 1U);
  EXPECT_EQ(result.report.nodes, 6U);
  EXPECT_EQ(result.model.graph->outputs().front()->name(), "y");
  EXPECT_EQ(result.model.graph->find("w"), nullptr);
}

TEST(Insert, WritesScalesZeroPointsAndIntegers) {
  const Quantized result = quantized(gemm, {{"x", {0, 127.5}}, {"y", {-128, 127}}});
  EXPECT_THAT(numbers_in(result.model, "x_scale"), ElementsAre(0.5));
  EXPECT_THAT(numbers_in(result.model, "y_zero_point"), ElementsAre(128));
  EXPECT_THAT(numbers_in(result.model, "w_quantized"), ElementsAre(1, -2, 3, 127));
  EXPECT_THAT(numbers_in(result.model, "b_quantized_scale"), ElementsAre(0.5));
  EXPECT_THAT(numbers_in(result.model, "b_quantized"), ElementsAre(2, -4));
}

TEST(Insert, FoldsBetaIntoTheBias) {
  std::string twice = gemm;
  twice.replace(twice.find("Gemm"), 4, "Gemm <beta = 2.0> ");
  const Quantized result = quantized(twice, {{"x", {0, 127.5}}, {"y", {-128, 127}}});
  EXPECT_THAT(numbers_in(result.model, "b_quantized"), ElementsAre(4, -8));
  EXPECT_EQ(maker_of(result.model, "y_QuantizeLinear_Input").float_or("beta", 0), 1.0F);
}

TEST(Insert, GivesEachChannelItsScale) {
  QuantizeSettings settings{.preset = *find_preset("ort")};
  settings.per_channel = true;
  const Quantized result = quantized(gemm, {{"x", {0, 127.5}}, {"y", {-128, 127}}}, settings);
  EXPECT_THAT(numbers_in(result.model, "w_scale"), ElementsAre(3.0F / 127, 1));
  EXPECT_THAT(numbers_in(result.model, "w_zero_point"), ElementsAre(0, 0));
  EXPECT_THAT(numbers_in(result.model, "b_quantized"), ElementsAre(85, -4));
  EXPECT_THAT(numbers_in(result.model, "b_quantized_zero_point"), ElementsAre(0, 0));
  EXPECT_EQ(maker_of(result.model, "w_DequantizeLinear_Output").int_or("axis", -1), 1);
  EXPECT_EQ(maker_of(result.model, "b").int_or("axis", -1), 0);
}

TEST(Insert, LetsMovedNumbersShareScaleAndZeroPoint) {
  const Quantized result = quantized(
      "(float[2,3] x) => (float[3,2] y) <float[2,3] t> { t = Mul(x, x) y = Transpose(t) }",
      {{"x", {-1, 1}}, {"t", {0, 1}}});
  EXPECT_THAT(lines_of(result.model),
              testing::Contains("y = DequantizeLinear(y_QuantizeLinear_Output, t_scale, "
                                "t_zero_point)"));
}

TEST(Insert, LeavesABiasInFloatBesideAnInputThatIs) {
  const Quantized result = quantized(
      "(float[1,2] x) => (float[1,2] y)"
      "<float[2,2] w = {1, 2, 3, 4}, float[2] b = {1, 2}> { y = Gemm(t, w, b) t = Foo(x) }",
      {{"y", {0, 1}}});
  EXPECT_EQ(result.report.biases, 0U);
  EXPECT_THAT(result.report.notes, ElementsAre(HasSubstr("stays in float: its input or its "
                                                         "weight is not quantized")));
}

TEST(Insert, RaisesAWeightsScaleUntilTheBiasFits) {
  const Quantized result = quantized(
      "(float[1,1] x) => (float[1,1] y) <float[1,1] w = {1e-6}, float[1] b = {100.0}>"
      "{ y = Gemm(x, w, b) }",
      {{"x", {0, 1e-3F}}, {"y", {0, 100}}});
  const auto bias = numbers_in(result.model, "b_quantized").at(0);
  EXPECT_LT(bias, 2147483647.0);
  EXPECT_GT(bias, 2147000000.0);
}

TEST(Insert, CanUseOnnxRuntimesOwnDomain) {
  const Quantized result =
      quantized("(float[2] x) => (float[2] y) { y = Mul(x, x) }", {{"x", {0, 1}}, {"y", {0, 1}}},
                {.preset = *find_preset("ort")}, "com.microsoft");
  EXPECT_EQ(result.model.opset("com.microsoft"), 1);
  EXPECT_EQ(result.model.graph->nodes().front().domain, "com.microsoft");
}

TEST(Insert, RefusesAnOverrideTheTypeCannotHold) {
  QuantizeSettings settings{.preset = *find_preset("ort")};
  settings.overrides["x"] = {.type = ElementType::int8, .scales = {{1, 200}}};
  Model model = parse_text(
                    "<opset_import: [\"\": 17]> g (float[2] x) => (float[2] y)"
                    "{ y = Mul(x, x) }")
                    .value();
  const QuantizePlan plan = make_plan(model, settings).value();
  const auto scales = find_scales(plan, settings, {{"y", {0, 1}}});
  ASSERT_FALSE(scales);
  EXPECT_EQ(scales.error().what,
            "the override of 'x' has the zero point 200, which int8 cannot hold");
}

}  // namespace
}  // namespace hone
