#include "transform/quantize/dynamic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/fingerprint.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr auto folder = HONE_SOURCE_DIR "/tests/fixtures/golden/weights/";

struct Golden {
  const char* name;
  DynamicOptions options;
};

TEST(QuantizeDynamic, MakesWhatOnnxRuntimesToolMakesNodeForNodeAndBitForBit) {
  const std::vector<Golden> cases = {
      {"int8", {.filter_type = ElementType::int8}},
      {"uint8", {.weight_type = ElementType::uint8}},
      {"per-channel", {.filter_type = ElementType::int8, .per_channel = true}},
      {"reduced", {.filter_type = ElementType::int8, .per_channel = true, .reduced = true}},
  };
  for (const Golden& golden : cases) {
    Model model = load_model(folder + std::string("float.onnx")).value();
    const auto report = quantize_dynamic(model, golden.options).value();
    EXPECT_EQ(report.matmuls, 2u);
    EXPECT_EQ(report.convolutions, 1u);
    Model expected = load_model(folder + ("dynamic." + std::string(golden.name) + ".onnx")).value();
    EXPECT_EQ(content_fingerprint(model).value(), content_fingerprint(expected).value())
        << golden.name << "\n"
        << print_text(model) << "\n"
        << print_text(expected);
  }
}

std::string nodes_of(const Model& model) {
  std::string text;
  for (const Node& node : model.graph->nodes()) text += print_text(node) + "\n";
  return text;
}

TEST(QuantizeDynamic, QuantizesASharedInputAndASharedWeightOnce) {
  Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1,2,3,4}> {
      p = MatMul(x, w)  q = MatMul(x, w)  y = Add(p, q) })")
                    .value();
  const auto report = quantize_dynamic(model, {}).value();
  EXPECT_EQ(report.weights, 1u);
  EXPECT_EQ(report.activations, 1u);
  EXPECT_THAT(nodes_of(model), HasSubstr("p_output_quantized = MatMulInteger(x_quantized, "
                                         "w_quantized, x_zero_point, w_zero_point)"));
  EXPECT_EQ(model.graph->find("w"), nullptr) << "the float weight is gone";
}

TEST(QuantizeDynamic, QuantizesAnInputBeforeTheFirstThatTakesIt) {
  Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,1,2,2] x) => (float[1,1,2,2] y, float[1,1,2,2] z)
    <float[1,1,1,1] f = {2}, float[2,2] w = {1,2,3,4}> {
      y = Conv(x, f)  z = MatMul(x, w) })")
                    .value();
  EXPECT_EQ(quantize_dynamic(model, {}).value().activations, 1u);
  EXPECT_TRUE(nodes_of(model).starts_with("[x_QuantizeLinear]")) << nodes_of(model);
}

TEST(QuantizeDynamic, SaysWhatItLeavesAloneAndWhy) {
  Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,1,2,2] x, float16[2,2] h) => (y, z, v)
    <float[1,1,1,1] f = {2}, float16[2,2] w = {1,2,3,4}> {
      [free] y = Conv(x, x)  [half] z = MatMul(h, w)  [other] v = Conv(x, f) })")
                    .value();
  const auto takes = [](const Node& node) { return node.name != "other"; };
  std::vector<std::string> reasons;
  const DynamicReport report = quantize_dynamic(model, {.takes = takes}).value();
  for (const Declined& declined : report.left_alone) {
    reasons.push_back(declined.node + ": " + declined.reason);
  }
  EXPECT_THAT(reasons,
              testing::UnorderedElementsAre("node 'free' (Conv): its filter is no constant",
                                            "node 'half' (MatMul): its weight is of type float16",
                                            "node 'other' (Conv): it was not selected"));
}

TEST(QuantizeDynamic, RefusesTypesAndOpsetsThatDoNotGo) {
  Model model =
      parse_text(R"(<opset_import: ["" : 10]> g (float[1] x) => (y) { y = Relu(x) })").value();
  EXPECT_EQ(quantize_dynamic(model, {}).error().what, "opset 10 has no DynamicQuantizeLinear");
  const auto wide = quantize_dynamic(model, {.weight_type = ElementType::int16});
  EXPECT_EQ(wide.error().what, "weights of type int16 are not possible with dynamic quantization");
}

}  // namespace
}  // namespace hone
