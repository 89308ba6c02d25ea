#include "report/analyze/analyze_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Analysis small() {
  Analysis analysis;
  analysis.model = "m.onnx";
  analysis.target.ep = "qnn";
  analysis.target.device = "npu";
  analysis.features.opset = 17;
  analysis.features.nodes = 4;
  analysis.features.depth = 3;
  analysis.features.op_counts = {{"Conv", 1}, {"Relu", 3}};
  analysis.features.conv_share = 0.25;
  analysis.features.precision = "float32";
  return analysis;
}

TEST(AnalyzeText, AModelIsItsTargetsAnswerAndWhatItIsMadeOf) {
  EXPECT_EQ(describe_analysis(small()),
            "m.onnx on qnn/npu: unknown\n"
            "  graph    4 nodes, opset 17, 3 deep\n"
            "  ops      Relu x3, Conv x1\n"
            "  made of  25.0 % convolutions, 0.0 % matrix products, 0.0 % transposes; "
            "0 attentions, 0 normalizations\n"
            "  weights  0 bytes, 0 parameters, float32\n"
            "fusions: none\n");
}

TEST(AnalyzeText, WhatTheTargetRefusesIsNamedWithItsReason) {
  Analysis analysis = small();
  CoverageFacts& coverage = analysis.coverage.emplace();
  coverage.counts = {.supported = 1, .unsupported = 2, .unknown = 1};
  coverage.ops = {{"Conv", "", {.unknown = 1}}, {"Relu", "", {.supported = 1, .unsupported = 2}}};
  coverage.nodes = {{"a", "Relu", "", Support::unsupported, "rank 6 is above 5", "rule"},
                    {"b", "Relu", "", Support::unsupported, "rank 6 is above 5", "rule"}};
  const std::string text = describe_analysis(analysis);
  EXPECT_NE(text.find("coverage: 1 of 4 nodes supported, 2 unsupported, 1 unknown\n"
                      "  unsupported: Relu x2\n"
                      "  unknown: Conv x1\n"
                      "    Relu: rank 6 is above 5 (x2)\n"),
            std::string::npos)
      << text;
}

TEST(AnalyzeText, DenormalWeightsAreSaidFirst) {
  Analysis analysis = small();
  analysis.features.float_weights = 44'487;
  analysis.features.denormal_weights = 13'331;
  EXPECT_TRUE(describe_analysis(analysis).starts_with(
      "m.onnx on qnn/npu: unknown\n"
      "denormals: 13,331 of 44,487 float weights are denormal; arithmetic with such numbers can "
      "take a CPU hundreds of cycles\n"
      "  try: --session-options session.set_denormal_as_zero=1, or hone autoconfig\n"
      "  graph    4 nodes"))
      << describe_analysis(analysis);
}

TEST(AnalyzeText, WhereNoRuleSpeaksOfAnyNodeNoneIsCalledUnsupported) {
  Analysis analysis = small();
  analysis.coverage.emplace().counts = {.unknown = 375};
  EXPECT_NE(describe_analysis(analysis).find(
                "coverage: no rule speaks of any of the 375 nodes; --run-unknown-op runs each "
                "of them on the EP\n"),
            std::string::npos)
      << describe_analysis(analysis);
  analysis.placement.emplace().known = true;
  EXPECT_NE(describe_analysis(analysis).find("; what the EP takes was seen by opening the model\n"),
            std::string::npos);
  EXPECT_EQ(describe_analysis(analysis).find("0 of 375"), std::string::npos);
}

TEST(AnalyzeText, FusionsComeWithTheirFirstNodeAndAdviceWithItsReason) {
  Analysis analysis = small();
  analysis.fusions = {{"gelu_fusion", 12, {"/gelu/Mul"}, "Gelu", ""}};
  analysis.suggestions = {{"gelu_fusion", "Gelu", "12 places become Gelu"}};
  analysis.withheld = {{"bias_softmax_fusion", "", "it acts on CUDA alone"}};
  const std::string text = describe_analysis(analysis);
  EXPECT_NE(text.find("fusions\n"
                      "  gelu-fusion  12  Gelu, first at /gelu/Mul\n"
                      "suggested\n"
                      "  gelu-fusion  12 places become Gelu\n"
                      "withheld\n"
                      "  bias-softmax-fusion  it acts on CUDA alone\n"),
            std::string::npos)
      << text;
}

TEST(AnalyzeText, WhatStaysFloatInAQuantizedModelIsCounted) {
  Analysis analysis = small();
  IntegerKernels& kernels = analysis.integer_kernels.emplace();
  kernels.quantized_nodes = 40;
  kernels.fused = 28;
  kernels.kernels = {{"QLinearConv", 28}};
  kernels.not_fused = {{"HardSwish", 12}};
  analysis.qdq_problems = {{"q", "x", "its scale is not above 0"}};
  const std::string text = describe_analysis(analysis);
  EXPECT_NE(text.find("quantization: 1 problem\n"
                      "  x (q): its scale is not above 0\n"
                      "integer kernels: 28 of 40 quantized nodes; not fused: HardSwish x12\n"
                      "  QLinearConv x28\n"),
            std::string::npos)
      << text;
}

TEST(AnalyzeText, ASymbolOfDozensOfInputsTakesOneShortLine) {
  Analysis analysis = small();
  for (std::size_t i = 0; i < 52; ++i)
    analysis.dynamic_axes.push_back({"past." + std::to_string(i), 0, "batch"});
  EXPECT_NE(describe_analysis(analysis).find("past.4[0] batch, past.5[0] batch and 46 more\n"),
            std::string::npos)
      << describe_analysis(analysis);
}

TEST(AnalyzeText, NamesOfAHostileModelCannotReachTheTerminal) {
  Analysis analysis = small();
  analysis.model = "\x1b[31mred.onnx";
  analysis.dynamic_axes = {{"\x1b[2J", 0, "N"}};
  EXPECT_EQ(describe_analysis(analysis).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace hone
