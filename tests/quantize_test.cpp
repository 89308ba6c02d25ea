// Quantization end to end on the real ONNX Runtime, and against what ONNX Runtime's own tools made
// of the same models and samples: tests/fixtures/golden.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "inspect/quantization.h"
#include "quantizing.h"

namespace hone {
namespace {

using testing::Contains;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Optional;

// --- Golden files

std::vector<double> numbers(const Json& one_or_list) {
  const Json::Array* list = one_or_list.as_array();
  std::vector<double> found;
  for (const Json& number : list != nullptr ? *list : Json::Array{one_or_list})
    found.push_back(number.to_double().value());
  return found;
}

// What differs between a tensor of ours and theirs; empty when nothing does.
std::string difference(const QuantizedTensor& ours, const Json& theirs) {
  const std::vector<double> scales = numbers(ours.scale);
  const std::vector<double> expected = numbers(*theirs.find("scale"));
  if (scales.size() != expected.size()) return "another number of scales";
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (std::abs(scales[i] - expected[i]) > 1e-6 * std::abs(expected[i])) {
      return "scale " + std::to_string(scales[i]) + " and not " + std::to_string(expected[i]);
    }
  }
  if (numbers(ours.zero_point) != numbers(*theirs.find("zp"))) return "another zero point";
  return ours.type == *theirs.find("zp_type")->as_string() ? "" : "another type";
}

struct Golden {
  std::string model;
  std::string precision;
};

class GoldenParity : public Quantizing, public testing::WithParamInterface<Golden> {};

// Not one difference is allowed; should one ever be right, its reason belongs here.
TEST_P(GoldenParity, HoldsTensorByTensor) {
  const auto& [name, precision] = GetParam();
  QuantizeRequest request =
      request_for(fixtures / "tiny" / name / "torch-opset17.onnx", precision.c_str());
  const Path golden = fixtures / "golden" / ("tiny-" + name);
  request.calibration_data = golden / "inputs.npz";
  const QuantizeResult result = run(request);
  const std::string text = read_file(golden / (precision + ".scales.json")).value();
  const Json theirs = Json::parse(text).value();
  std::vector<std::string> differences;
  std::size_t compared = 0;
  for (const QuantizedTensor& ours : list_quantization(load_model(request.output).value())) {
    const Json* expected = theirs.find(ours.tensor);
    const std::string found = expected == nullptr ? "theirs is float" : difference(ours, *expected);
    if (!found.empty()) differences.push_back(ours.tensor + ": " + found);
    ++compared;
  }
  EXPECT_THAT(differences, IsEmpty());
  EXPECT_EQ(compared, theirs.as_object()->size());
  EXPECT_TRUE(result.verified);
}

std::string name_of_golden(const testing::TestParamInfo<Golden>& info) {
  return info.param.model.substr(0, info.param.model.find('-')) + "_" + info.param.precision;
}

INSTANTIATE_TEST_SUITE_P(OfOnnxRuntimesTools, GoldenParity,
                         testing::Values(Golden{"resnet-cls", "w8a8"},
                                         Golden{"resnet-cls", "w8a16"}, Golden{"bert-cls", "w8a8"},
                                         Golden{"bert-cls", "w8a16"}, Golden{"vit-cls", "w8a8"},
                                         Golden{"vit-cls", "w8a16"}),
                         name_of_golden);

// --- The rest

TEST_F(Quantizing, GivesAModelThatRunsWithEveryCalibratedPrecisionAndPreset) {
  const Path model = model_of(two_layers);
  for (const Precision& precision : all_precisions()) {
    if (precision.making != Making::ranges) continue;
    for (const Preset& preset : all_presets()) {
      const QuantizeResult result =
          run(request_for(model, precision.name.data(), preset.name.data()));
      EXPECT_TRUE(result.verified) << precision.name << " " << preset.name << ": "
                                   << result.not_verified_because.value_or("");
      EXPECT_THAT(result.outputs.at(0).sqnr_db, Optional(Ge(25))) << precision.name;
      EXPECT_EQ(result.weights, 2U);
      EXPECT_EQ(result.nodes_removed, 1U);
    }
  }
}

TEST_F(Quantizing, BringsWeightsToOtherTypesWithoutCalibration) {
  const Path model = fixtures / "tiny/bert-cls/torch-opset17.onnx";
  for (const char* precision : {"int4", "fp16", "dynamic"}) {
    QuantizeRequest request = request_for(model, precision);
    request.settings.block_size = 16;  // its matrices have few rows
    const QuantizeResult result = run(request);
    EXPECT_TRUE(result.verified) << precision << ": " << result.not_verified_because.value_or("");
    EXPECT_THAT(result.outputs.at(0).sqnr_db, Optional(Ge(10))) << precision;
    EXPECT_LT(result.bytes_after, result.bytes_before) << precision;
    EXPECT_EQ(result.samples, 0U) << precision;
    EXPECT_THAT(result.notes, Not(Contains(HasSubstr("random samples")))) << precision;
  }
}

TEST_F(Quantizing, AppliesPrecisionsInTurn) {
  QuantizeRequest request = request_for(fixtures / "tiny/bert-cls/torch-opset17.onnx", "int4");
  request.precisions.push_back(find_precision("fp16"));
  request.settings.block_size = 16;
  const QuantizeResult result = run(request);
  EXPECT_TRUE(result.verified) << result.not_verified_because.value_or("");
  const Model made = load_model(request.output).value();
  const auto scales = [](const Node& node) { return node.input(2)->initializer()->type; };
  std::size_t products = 0;
  for (const Node& node : made.graph->nodes()) {
    if (node.op_type != "MatMulNBits") continue;
    EXPECT_EQ(scales(node), ElementType::float16);
    ++products;
  }
  EXPECT_GT(products, 0U);
}

TEST_F(Quantizing, QuantizesTheRestOfAModelWhoseMatMulsHaveFourBits) {
  QuantizeRequest request = request_for(fixtures / "tiny/bert-cls/torch-opset17.onnx", "int4");
  request.precisions.push_back(find_precision("w8a8"));
  request.settings.block_size = 16;
  const QuantizeResult result = run(request);
  EXPECT_TRUE(result.verified) << result.not_verified_because.value_or("");
  EXPECT_GT(result.activations, 0U);
}

TEST_F(Quantizing, RefusesAPrecisionThatFindsNothingToDo) {
  const auto result = quantize_file(request_for(model_of(two_layers), "int4"), tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "there is nothing to bring to int4");
  EXPECT_THAT(result.error().cause, HasSubstr("would make its weight of 4 rows larger"));
}

TEST_F(Quantizing, RaisesTheOpsetWhereSixteenBitsNeedIt) {
  const Path model = model_of(two_layers);
  EXPECT_EQ(run(request_for(model, "w8a16")).opset, 21);
  EXPECT_EQ(run(request_for(model, "w8a8")).opset, 17);
  QuantizeRequest for_npu = request_for(model, "w8a16", "qnn");
  EXPECT_EQ(run(for_npu).opset, 17);
  EXPECT_EQ(load_model(for_npu.output)->opset("com.microsoft"), 1);
}

TEST_F(Quantizing, QuantizesAModelOfAnOldOpset) {
  const QuantizeResult result = run(request_for(model_of(two_layers, 9)));
  EXPECT_EQ(result.opset, 11);
  EXPECT_TRUE(result.verified);
}

TEST_F(Quantizing, TakesConstantsOfNodesForWeightsOutsideOfPresetOrt) {
  const Path model = model_of(
      "(float[1,2] x) => (float[1,2] y)"
      "{ w = Constant <value = float[2,2] {1, 2, 3, 4}> () y = MatMul(x, w) }");
  EXPECT_EQ(run(request_for(model, "w8a8", "cpu")).weights, 1U);
  EXPECT_EQ(run(request_for(model, "w8a8", "ort")).weights, 0U);
}

TEST_F(Quantizing, LeavesExcludedNodesInFloat) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.settings.exclude = {"MatMul"};
  const auto result = quantize_file(request, tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "there is nothing to quantize");
}

TEST_F(Quantizing, DoesWhatOverridesSay) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.settings.overrides["x"] = {.range = RealRange{0, 255}};
  request.settings.overrides["w"] = {.type = ElementType::int16};
  request.settings.overrides["y"] = {.scales = {{0.5F, 3}}};
  request.allows_loss = true;  // which such ranges are
  EXPECT_EQ(run(request).opset, 21);
  for (const QuantizedTensor& tensor : list_quantization(load_model(request.output).value())) {
    if (tensor.tensor == "x") {
      EXPECT_EQ(numbers(tensor.scale).at(0), 1);
    } else if (tensor.tensor == "w_DequantizeLinear_Output") {
      EXPECT_EQ(tensor.type, "int16");
    } else if (tensor.tensor == "y") {
      EXPECT_EQ(numbers(tensor.zero_point).at(0), 3);
    }
  }
}

TEST_F(Quantizing, RefusesOverridesOfATensorThatIsNotThere) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.settings.overrides["tt"] = {.type = ElementType::int16};
  const auto result = quantize_file(request, tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the overrides name 'tt', and the model has no such tensor");
}

TEST_F(Quantizing, RefusesAModelThatIsQuantizedAlready) {
  const auto result =
      quantize_file(request_for(fixtures / "golden/tiny-resnet-cls/w8a8.onnx"), tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the model is quantized already");
}

TEST_F(Quantizing, RefusesTypesThatNoKernelTakes) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.weight_type = ElementType::uint8;
  request.activation_type = ElementType::int8;
  const auto result = quantize_file(request, tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "int8 activations with uint8 weights run nowhere");
}

TEST_F(Quantizing, SaysThatRandomSamplesAreNoRealOnes) {
  const QuantizeResult result = run(request_for(model_of(two_layers)));
  EXPECT_EQ(result.samples, 10U);
  EXPECT_EQ(result.samples_from, "seed 0");
  EXPECT_THAT(result.notes, Contains(HasSubstr("calibrated on random samples")));
}

TEST_F(Quantizing, SaysWhetherMoreSamplesWouldMoveTheRanges) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.samples = 1;
  EXPECT_FALSE(run(request).ranges_sufficient);
  request.samples = 1000;
  EXPECT_TRUE(run(request).ranges_sufficient);
}

TEST_F(Quantizing, LeavesNoCalibrationFileBehindUnlessOneIsNamed) {
  QuantizeRequest request = request_for(model_of(two_layers));
  run(request);
  EXPECT_FALSE(std::filesystem::exists(request.output.string() + ".calibration"));
  request.calibration_cache = folder_.path() / "cache.json";
  const QuantizeResult first = run(request);
  EXPECT_TRUE(std::filesystem::exists(request.calibration_cache));
  // What the float model gave is not in the file: it is run again for verification.
  const QuantizeResult second = run(request);
  EXPECT_EQ(second.outputs.at(0).sqnr_db, first.outputs.at(0).sqnr_db);
}

TEST_F(Quantizing, GivesTheSameBytesAgain) {
  QuantizeRequest request = request_for(fixtures / "tiny/bert-cls/torch-opset17.onnx");
  run(request);
  const std::string first = read_file(request.output).value();
  run(request);
  EXPECT_TRUE(read_file(request.output).value() == first);
}

}  // namespace
}  // namespace hone
