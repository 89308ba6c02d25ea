#include "model/opset/converter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone::opset {
namespace {

int bits(double value, ElementType type) {
  const TensorPtr tensor = make_scalar(value, type);
  const std::string_view bytes = tensor->dense.view();
  return static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
}

TEST(MakeScalar, RoundsToTheNearestHalf) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::pair<double, int> cases[] = {
      {0.0, 0x0000},
      {-0.0, 0x8000},
      {1.0, 0x3C00},
      {-0.5, 0xB800},
      {0.1, 0x2E66},
      {65504.0, 0x7BFF},
      {65519.9, 0x7BFF},
      {65520.0, 0x7C00},
      {3.4e38, 0x7C00},
      {-infinity, 0xFC00},
      {std::ldexp(1, -24), 0x0001},
      {std::ldexp(1, -25), 0x0000},
      {std::ldexp(3, -26), 0x0001},
      {std::ldexp(1, -14), 0x0400},
      {std::ldexp(1023, -24), 0x03FF},
      {1 + std::ldexp(1, -11), 0x3C00},
      {1 + std::ldexp(3, -11), 0x3C02},
      {1.99999, 0x4000},
  };
  for (const auto& [value, expected] : cases)
    EXPECT_EQ(bits(value, ElementType::float16), expected) << value;
  EXPECT_EQ(bits(std::nan(""), ElementType::float16), 0x7E00);
}

TEST(MakeScalar, RoundsToTheNearestBfloat16) {
  const std::pair<double, int> cases[] = {
      {0.0, 0x0000},
      {1.0, 0x3F80},
      {-2.5, 0xC020},
      {0.1, 0x3DCD},
      {1 + std::ldexp(1, -8), 0x3F80},
      {1 + std::ldexp(3, -8), 0x3F82},
  };
  for (const auto& [value, expected] : cases)
    EXPECT_EQ(bits(value, ElementType::bfloat16), expected) << value;
}

TEST(MakeScalar, HasNoDimensionsAndTheTypeAskedFor) {
  const TensorPtr tensor = make_scalar(1.5, ElementType::float64);
  EXPECT_TRUE(tensor->dims.empty());
  EXPECT_EQ((*to_doubles(*tensor))[0], 1.5);
  EXPECT_FALSE(can_hold_scalar(ElementType::string));
  EXPECT_FALSE(can_hold_scalar(ElementType::undefined));
  EXPECT_FALSE(can_hold_scalar(ElementType::int4));
}

}  // namespace
}  // namespace hone::opset
