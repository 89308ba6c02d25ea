#include "transform/quantize/tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/file.h"
#include "base/random.h"
#include "model/model.h"

namespace hone {
namespace {

using testing::HasSubstr;

TensorPtr random_tensor(std::vector<std::int64_t> dims, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(*count_elements(dims));
  for (float& value : values) value = static_cast<float>(random.uniform() * 4 - 1.5);
  const auto flat = make_float_tensor("w", values);
  return make_tensor("w", ElementType::float32, std::move(dims), flat->dense);
}

std::size_t channel_of(const Tensor& tensor, std::size_t axis, std::size_t index) {
  std::size_t run = 1;
  for (std::size_t i = axis + 1; i < tensor.dims.size(); ++i)
    run *= static_cast<std::size_t>(tensor.dims[i]);
  return index / run % static_cast<std::size_t>(tensor.dims[axis]);
}

// Shapes with long and short runs, larger and smaller than a block, and a single channel.
const std::vector<std::vector<std::int64_t>> shapes = {
    {7}, {1, 5}, {300, 40}, {64, 3, 7, 7}, {96, 1, 3, 3}, {5000}, {3, 17}, {2, 9000}, {1}};

TEST(RangesOf, AreThoseOfASimpleLoopAlongEveryAxis) {
  for (const auto& shape : shapes) {
    const TensorPtr tensor = random_tensor(shape, 1);
    const auto values = to_doubles(*tensor).value();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::vector<RealRange> expected(static_cast<std::size_t>(shape[axis]));
      for (std::size_t i = 0; i < values.size(); ++i) {
        RealRange& range = expected[channel_of(*tensor, axis, i)];
        range.low = std::min(range.low, static_cast<float>(values[i]));
        range.high = std::max(range.high, static_cast<float>(values[i]));
      }
      EXPECT_EQ(ranges_of(*tensor, axis).value(), expected);
    }
  }
}

TEST(RangesOf, SaysWhichWeightIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> values(100, 1.0F);
    values[57] = bad;
    const auto ranges = ranges_of(*make_float_tensor("table", values), std::nullopt);
    ASSERT_FALSE(ranges);
    EXPECT_THAT(ranges.error().what, HasSubstr("'table' holds NaN or infinity"));
  }
}

TEST(RangesOf, OfAnEmptyTensorAreZero) {
  const auto empty = make_tensor("e", ElementType::float32, {0}, Blob());
  EXPECT_EQ(ranges_of(*empty, std::nullopt).value(), std::vector<RealRange>{RealRange{}});
}

// The definition, element by element.
std::int64_t quantized_by_definition(double value, float scale, std::int32_t zero_point,
                                     QuantizedRange range) {
  const double steps = std::nearbyint(static_cast<double>(static_cast<float>(value) / scale));
  return static_cast<std::int64_t>(std::clamp<double>(steps + zero_point, range.low, range.high));
}

TEST(QuantizeTensor, IsTheDefinitionAppliedToEveryElement) {
  for (const auto& shape : shapes) {
    const TensorPtr tensor = random_tensor(shape, 2);
    const auto values = to_doubles(*tensor).value();
    for (const ElementType type :
         {ElementType::uint8, ElementType::int8, ElementType::uint16, ElementType::int16}) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        TensorScales scales{.type = type, .scales = {}, .zero_points = {}, .axis = axis};
        const std::vector<RealRange> ranges = ranges_of(*tensor, axis).value();
        for (const RealRange& range : ranges) {
          // Half of the range, so that something is clipped.
          const Scale scale = scale_for({range.low / 2, range.high / 2}, {.type = type});
          scales.scales.push_back(scale.scale);
          scales.zero_points.push_back(scale.zero_point);
        }
        const auto quantized = to_ints(*quantize_tensor(*tensor, scales, "q").value()).value();
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::size_t channel = channel_of(*tensor, axis, i);
          ASSERT_EQ(quantized[i],
                    quantized_by_definition(values[i], scales.scales[channel],
                                            scales.zero_points[channel], full_range(type)));
        }
      }
    }
  }
}

TEST(QuantizeTensor, ComesBackWithinHalfAStep) {
  const TensorPtr tensor = random_tensor({4096}, 3);
  const Scale scale = scale_for(ranges_of(*tensor, std::nullopt).value().front(), {});
  const TensorScales scales{ElementType::uint8, {scale.scale}, {scale.zero_point}, std::nullopt};
  const auto quantized = to_ints(*quantize_tensor(*tensor, scales, "q").value()).value();
  const auto values = to_doubles(*tensor).value();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double back = scale.scale * static_cast<double>(quantized[i] - scale.zero_point);
    EXPECT_NEAR(back, values[i], 0.501 * scale.scale);
  }
}

TEST(QuantizeTensor, RoundsHalvesToEven) {
  const std::vector<float> values = {-1.5F, -0.5F, 0.5F, 1.5F, 2.5F, 1e30F, -1e30F};
  const TensorScales scales{ElementType::int8, {1.0F}, {0}, std::nullopt};
  const auto quantized = quantize_tensor(*make_float_tensor("w", values), scales, "q").value();
  EXPECT_EQ(to_ints(*quantized).value(), (std::vector<std::int64_t>{-2, 0, 0, 2, 2, 127, -128}));
}

TEST(QuantizeTensor, RefusesWhatIsNoFloat) {
  const std::vector<std::int64_t> values = {1, 2};
  const auto quantized = quantize_tensor(*make_int64_tensor("ids", values),
                                         {ElementType::int8, {1.0F}, {0}, std::nullopt}, "q");
  ASSERT_FALSE(quantized);
  EXPECT_EQ(quantized.error().what,
            "'ids' is of type int64, and only float and float16 can be quantized");
}

TEST(QuantizeBias, ClipsWhatDoesNotFit) {
  const std::vector<float> values = {2.5F, -1.0F, 1e20F, -1e20F};
  const std::vector<float> scales = {1e-3F};
  const auto bias = quantize_bias(*make_float_tensor("b", values), scales, "q").value();
  EXPECT_EQ(to_ints(*bias).value(),
            (std::vector<std::int64_t>{2500, -1000, 2147483647, -2147483648}));
}

// ONNX Runtime's own tools made these files.
TEST(QuantizeTensor, GivesTheBytesOfOnnxRuntimesTools) {
  for (const std::string name : {"resnet-cls", "bert-cls"}) {
    const Path folder = Path(HONE_SOURCE_DIR) / "tests/fixtures";
    const Model model = load_model(folder / "tiny" / name / "torch-opset17.onnx").value();
    const Model golden = load_model(folder / "golden" / ("tiny-" + name) / "w8a8.onnx").value();
    std::size_t compared = 0;
    for (const Value* weight : model.graph->initializers()) {
      const Value* quantized = golden.graph->find(weight->name() + "_quantized");
      const Value* scale = golden.graph->find(weight->name() + "_scale");
      const Value* zero_point = golden.graph->find(weight->name() + "_zero_point");
      if (quantized == nullptr || scale == nullptr) continue;  // a bias, or not quantized
      const ElementType type = quantized->initializer()->type;
      const auto range = ranges_of(*weight->initializer(), std::nullopt).value().front();
      const Scale ours = scale_for(range, {.type = type, .symmetric = type == ElementType::int8});
      EXPECT_EQ(ours.scale, to_doubles(*scale->initializer()).value().front()) << weight->name();
      EXPECT_EQ(ours.zero_point, to_ints(*zero_point->initializer()).value().front());
      const TensorScales scales{type, {ours.scale}, {ours.zero_point}, std::nullopt};
      const auto bytes = quantize_tensor(*weight->initializer(), scales, "q").value();
      EXPECT_TRUE(bytes->bytes().value() == quantized->initializer()->bytes().value())
          << weight->name();
      ++compared;
    }
    EXPECT_GT(compared, 10U) << name;
  }
}

}  // namespace
}  // namespace hone
