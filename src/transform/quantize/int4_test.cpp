#include "transform/quantize/int4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "model/text/text.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr auto folder = HONE_SOURCE_DIR "/tests/fixtures/golden/weights/";

TensorPtr random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (float& value : values) value = static_cast<float>(random.uniform() * 4 - 1.5);
  return make_tensor("w", ElementType::float32, {rows, columns},
                     make_float_tensor("w", values)->dense);
}

float float_at(std::string_view bytes, std::size_t index) {
  float value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

int half_byte(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index / 2]) >> (index % 2 * 4) & 15;
}

// What MatMulNBits computes with: element (row, column) of the weight.
struct Element {
  float value = 0;
  float scale = 0;
};
Element unpacked(const Int4Weight& weight, std::int64_t block_size, std::int64_t row,
                 std::int64_t column) {
  const std::int64_t blocks = (weight.rows - 1) / block_size + 1;
  const std::int64_t block = row / block_size;
  const auto index = static_cast<std::size_t>(column * blocks + block);
  const int zero_point =
      weight.zero_points.empty()
          ? 8
          : half_byte(weight.zero_points,
                      static_cast<std::size_t>(column * ((blocks + 1) / 2 * 2) + block));
  const int code = half_byte(weight.values, index * static_cast<std::size_t>(block_size) +
                                                static_cast<std::size_t>(row % block_size));
  const float scale = float_at(weight.scales, index);
  return {scale * static_cast<float>(code - zero_point), scale};
}

TEST(PackInt4, IsNeverFurtherAwayThanTheScaleAllows) {
  for (const bool symmetric : {true, false}) {
    for (const std::int64_t rows : {1, 15, 16, 17, 100, 129}) {
      const TensorPtr tensor = random_matrix(rows, 6, static_cast<std::uint64_t>(rows));
      const Int4Weight weight = pack_int4(*tensor, false, 16, symmetric).value();
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < 6; ++column) {
          const float real =
              float_at(tensor->dense.view(), static_cast<std::size_t>(row * 6 + column));
          const Element held = unpacked(weight, 16, row, column);
          // Half a step; a whole one where the far end of a symmetric range is cut off, or where
          // the zero point had to be rounded.
          EXPECT_LE(std::fabs(held.value - real), std::fabs(held.scale) * 1.0001F)
              << rows << " rows, " << row << ", " << column;
        }
      }
    }
  }
}

TEST(PackInt4, KeepsTheLargestMagnitudeOfASymmetricBlockExactly) {
  const std::vector<float> values = {0.5F, -1.75F, 0.25F, 1.5F};
  const TensorPtr tensor =
      make_tensor("w", ElementType::float32, {4, 1}, make_float_tensor("w", values)->dense);
  const Int4Weight weight = pack_int4(*tensor, false, 16, true).value();
  EXPECT_EQ(unpacked(weight, 16, 1, 0).value, -1.75F);
}

TEST(PackInt4, TakesATransposedWeightAsTheSameMatrix) {
  const TensorPtr tensor = random_matrix(37, 5, 3);
  std::string bytes(tensor->dense.size(), '\0');
  for (std::size_t row = 0; row < 37; ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      std::memcpy(bytes.data() + (column * 37 + row) * 4,
                  tensor->dense.view().data() + (row * 5 + column) * 4, 4);
    }
  }
  const TensorPtr turned = make_tensor("w", ElementType::float32, {5, 37}, Blob::own(bytes));
  const Int4Weight direct = pack_int4(*tensor, false, 16, false).value();
  const Int4Weight transposed = pack_int4(*turned, true, 16, false).value();
  EXPECT_EQ(direct.values, transposed.values);
  EXPECT_EQ(direct.scales, transposed.scales);
  EXPECT_EQ(direct.zero_points, transposed.zero_points);
}

TEST(PackInt4, RefusesWhatIsNotFinite) {
  const std::vector<float> values = {1, std::numeric_limits<float>::infinity()};
  const TensorPtr tensor =
      make_tensor("table", ElementType::float32, {2, 1}, make_float_tensor("", values)->dense);
  EXPECT_THAT(pack_int4(*tensor, false, 16, true).error().what,
              HasSubstr("'table' holds NaN, infinity or numbers too far apart"));
}

TEST(QuantizeInt4, PacksBitForBitAsOnnxRuntimesQuantizer) {
  for (const std::string kind : {"symmetric", "asymmetric"}) {
    Model model = load_model(folder + std::string("float.onnx")).value();
    const Model golden = load_model(folder + ("int4." + kind + ".onnx")).value();
    const auto report =
        quantize_int4(model, {.block_size = 32, .symmetric = kind == "symmetric"}).value();
    EXPECT_EQ(report.matmuls, 1u);
    for (const std::string name : {"matrix_Q4", "matrix_scales", "matrix_zero_points"}) {
      const Value* expected = golden.graph->find(name);
      const Value* value = model.graph->find(name);
      ASSERT_EQ(value == nullptr, expected == nullptr) << name;
      if (expected == nullptr) continue;
      EXPECT_EQ(value->initializer()->bytes().value(), expected->initializer()->bytes().value())
          << kind << " " << name;
    }
  }
}

// A model with a weight w of 128 numbers and a bias b.
std::string model_text(const std::string& weight_dims, const std::string& nodes) {
  std::string numbers = "1";
  for (int i = 1; i < 128; ++i) numbers += "," + std::to_string(i % 13);
  return R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[3,64] x) => (float[3,2] y)
    <float[)" +
         weight_dims + "] w = {" + numbers + "}, float[2] b = {1, 2}> { " + nodes + " }";
}

std::string nodes_of(const Model& model) {
  std::string text;
  for (const Node& node : model.graph->nodes()) text += print_text(node);
  return text;
}

TEST(QuantizeInt4, SplitsAGemmIntoTheProductAndItsBias) {
  Model model = parse_text(model_text("2,64", "y = Gemm <transB = 1> (x, w, b)")).value();
  const auto report = quantize_int4(model, {.block_size = 32, .accuracy_level = 4}).value();
  EXPECT_THAT(nodes_of(model),
              HasSubstr("y_MatMul = com.microsoft.MatMulNBits <K = 64, N = 2, bits = 4, "
                        "block_size = 32, accuracy_level = 4> (x, w_Q4, w_scales)"));
  EXPECT_THAT(nodes_of(model), HasSubstr("y = Add(y_MatMul, b)"));
  EXPECT_EQ(model.opset("com.microsoft"), 1);
  EXPECT_EQ(model.graph->find("w"), nullptr) << "the float weight is gone";
  EXPECT_EQ(report.bytes_before, 512u);
  EXPECT_EQ(report.bytes_after, 2u * 32 + 2 * 2 * 4);
}

TEST(QuantizeInt4, QuantizesASharedWeightOnce) {
  Model model =
      parse_text(model_text("64,2", "p = MatMul(x, w) q = MatMul(x, w) y = Add(p, q)")).value();
  const auto report = quantize_int4(model, {}).value();
  EXPECT_EQ(report.matmuls, 2u);
  EXPECT_EQ(report.weights, 1u);
}

TEST(QuantizeInt4, SeesThroughConstantNodes) {
  Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[1,16] x) => (float[1,1] y) {
      w = Constant <value = float[16,1] {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}> ()
      y = MatMul(x, w) })")
                    .value();
  EXPECT_EQ(quantize_int4(model, {.block_size = 16}).value().matmuls, 1u);
  EXPECT_EQ(model.graph->nodes().size(), 1u) << "the Constant is gone";
}

TEST(QuantizeInt4, SaysWhatItLeavesAloneAndWhy) {
  Model model = parse_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,2] x) => (y) <float[2,2] w = {1,2,3,4}> {
      [few] a = MatMul(x, w)  [free] b = MatMul(a, x)  [turned] c = Gemm <transA = 1> (b, w)
      [scaled] d = Gemm <alpha = 0.5> (c, w)  [other] y = MatMul(d, w) })")
                    .value();
  const auto takes = [](const Node& node) { return node.name != "other"; };
  const auto report = quantize_int4(model, {.takes = takes}).value();
  std::vector<std::string> reasons;
  for (const Declined& declined : report.left_alone) {
    reasons.push_back(declined.node + ": " + declined.reason);
  }
  EXPECT_THAT(reasons,
              testing::UnorderedElementsAre(
                  "node 'free' (MatMul): its second input is no constant",
                  "node 'turned' (Gemm): it transposes its first input",
                  "node 'scaled' (Gemm): its alpha or beta is not 1",
                  "node 'other' (MatMul): it was not selected",
                  "node 'few' (MatMul): blocks of 128 would make its weight of 2 rows larger"));
  EXPECT_EQ(report.matmuls, 0u);
  EXPECT_EQ(model.opset("com.microsoft"), 0);
}

TEST(QuantizeInt4, RefusesBlocksAndLevelsThatDoNotExist) {
  Model model;
  const auto block = quantize_int4(model, {.block_size = 48});
  EXPECT_EQ(block.error().what, "a block of 48 elements is not possible");
  EXPECT_EQ(block.error().hint, "16, 32, 64, 128 and 256 are");
  const auto level = quantize_int4(model, {.accuracy_level = 5});
  EXPECT_EQ(level.error().what, "there is no accuracy level 5");
}

}  // namespace
}  // namespace hone
