#include "inspect/quantization.h"

#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "model/text/text.h"

namespace hone {
namespace {

std::vector<QuantizedTensor> listing(std::string_view initializers, std::string_view body) {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\n"
      "g (float[2,2] x) => (float[2,2] y) <" +
      std::string(initializers) + "> {" + std::string(body) + "}";
  const auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what;
  return model ? list_quantization(*model) : std::vector<QuantizedTensor>();
}

std::string json(const QuantizedTensor& tensor) { return to_json(tensor).dump(-1); }

TEST(Quantization, AnActivationIsNamedByWhatIsQuantized) {
  const auto tensors =
      listing("float s = {0.5}, uint8 z = {128}",
              "[first] q = QuantizeLinear(x, s, z) \n y = DequantizeLinear(q, s, z)");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(json(tensors[0]),
            R"({"tensor":"x","node":"first","op":"QuantizeLinear","scale":0.5,"zero_point":128,)"
            R"("type":"uint8","axis":null,"kind":"activation"})");
  EXPECT_EQ(json(tensors[1]),
            R"({"tensor":"y","node":"","op":"DequantizeLinear","scale":0.5,"zero_point":128,)"
            R"("type":"uint8","axis":null,"kind":"activation"})");
}

TEST(Quantization, AWeightPerChannelHasListsAndAnAxis) {
  const auto tensors =
      listing("int8[2,2] w = {1,2,3,4}, float[2] s = {0.5, 0.25}, int8[2] z = {0, 1}",
              "y = DequantizeLinear <axis = 0> (w, s, z)");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(json(tensors[0]),
            R"({"tensor":"y","node":"","op":"DequantizeLinear","scale":[0.5,0.25],)"
            R"("zero_point":[0,1],"type":"int8","axis":0,"kind":"weight"})");
}

TEST(Quantization, AZeroPointThatIsLeftOutIsZero) {
  const auto tensors =
      listing("int8[2,2] w = {1,2,3,4}, float s = {0.5}", "y = DequantizeLinear(w, s)");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].zero_point, Json(0));
  EXPECT_EQ(tensors[0].type, "int8");
}

TEST(Quantization, A32BitConstantIsABias) {
  const auto tensors = listing("int32[2] b = {1,2}, float s = {0.5}", "y = DequantizeLinear(b, s)");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].kind, QuantizedKind::bias);
  EXPECT_EQ(tensors[0].type, "int32");
}

TEST(Quantization, AWeightThatIsQuantizedInTheGraphIsAWeightOnBothSides) {
  const auto tensors = listing("float[2,2] w = {1,2,3,4}, float s = {0.5}, int8 z = {0}",
                               "q = QuantizeLinear(w, s, z) \n y = DequantizeLinear(q, s, z)");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].kind, QuantizedKind::weight);
  EXPECT_EQ(tensors[1].kind, QuantizedKind::weight);
  EXPECT_EQ(tensors[1].type, "int8");
}

TEST(Quantization, AWeightInAConstantNodeIsAWeight) {
  const auto tensors = listing(
      "float s = {0.5}", "w = Constant <value = int8[2] {1,2}> () \n y = DequantizeLinear(w, s)");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].kind, QuantizedKind::weight);
}

TEST(Quantization, IntegerOperatorsListWhatTheyReadAndMakeOnce) {
  const auto tensors =
      listing("float s = {0.5}, uint8 z = {128}, int8[2,2] w = {1,2,3,4}, int8 n = {0}",
              "q = QuantizeLinear(x, s, z) \n r = QLinearMatMul(q, s, z, w, s, n, s, z) \n"
              "t = QLinearMatMul(r, s, z, w, s, n, s, z) \n y = DequantizeLinear(t, s, z)");
  std::map<std::string, std::string> kinds;
  for (const QuantizedTensor& tensor : tensors)
    kinds[tensor.tensor] += std::string(name_of(tensor.kind)) + " ";
  EXPECT_EQ(kinds, (std::map<std::string, std::string>{{"x", "activation "},
                                                       {"q", "activation "},
                                                       {"r", "activation "},
                                                       {"t", "activation "},
                                                       {"w", "weight "},
                                                       {"y", "activation "}}));
}

TEST(Quantization, WhatIsMeasuredWhileTheModelRunsHasNoScale) {
  const auto tensors = listing("int8[2,2] w = {1,2,3,4}",
                               "q, s, z = DynamicQuantizeLinear(x) \n i = MatMulInteger(q, w, z) \n"
                               "y = Cast <to = 1> (i)");
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].tensor, "x");
  EXPECT_EQ(tensors[0].scale, Json());
  EXPECT_EQ(tensors[2].tensor, "w");
  EXPECT_EQ(tensors[2].kind, QuantizedKind::weight);
}

TEST(Quantization, ScalesPerBlockAreTooManyToList) {
  const auto tensors =
      listing("uint8[2,1,1] w = {1,2}, float[2] s = {1,1}",
              "y = com.microsoft.MatMulNBits <K = 2, N = 2, bits = 4, block_size = 16> (x, w, s)");
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(json(tensors[0]),
            R"({"tensor":"w","node":"","op":"MatMulNBits","scale":null,"zero_point":null,)"
            R"("type":"uint4","axis":null,"kind":"weight"})");
}

// What ONNX Runtime's own quantizer wrote down while it made these models.
class GoldenQuantization : public testing::TestWithParam<const char*> {};

TEST_P(GoldenQuantization, AgreesWithTheToolThatMadeTheModel) {
  const Path golden = Path(HONE_SOURCE_DIR) / "tests/fixtures/golden" / GetParam();
  const auto model = load_model(golden.string() + ".onnx");
  ASSERT_TRUE(model) << model.error().what;
  const auto expected = Json::parse(*read_file(golden.string() + ".scales.json"));
  ASSERT_TRUE(expected);
  std::map<std::string, QuantizedTensor> ours;
  for (const QuantizedTensor& tensor : list_quantization(*model)) ours[tensor.tensor] = tensor;
  EXPECT_EQ(ours.size(), expected->as_object()->size());
  for (const auto& [name, entry] : *expected->as_object()) {
    ASSERT_TRUE(ours.contains(name)) << name;
    const QuantizedTensor& tensor = ours[name];
    EXPECT_EQ(Json(tensor.op), *entry.find("op")) << name;
    EXPECT_EQ(tensor.scale, *entry.find("scale")) << name;
    EXPECT_EQ(Json(tensor.type), *entry.find("zp_type")) << name;
    const Json::Array* zero_points = tensor.zero_point.as_array();
    EXPECT_EQ(zero_points ? zero_points->front() : tensor.zero_point, *entry.find("zp")) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenQuantization,
                         testing::Values("tiny-bert-cls/w8a8", "tiny-bert-cls/w8a16",
                                         "tiny-resnet-cls/w8a8", "tiny-resnet-cls/w8a16"));

}  // namespace
}  // namespace hone
