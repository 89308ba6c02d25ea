#include "model/elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace hone {
namespace {

using testing::ElementsAre;

std::string encoded(ElementType type, const std::vector<double>& numbers) {
  std::string bytes(*bytes_of(type, numbers.size()), '\0');
  encode_elements(type, numbers, bytes.data());
  return bytes;
}

std::vector<double> decoded(ElementType type, std::string_view bytes, std::size_t count) {
  std::vector<double> numbers(count);
  decode_elements(type, bytes, numbers);
  return numbers;
}

std::vector<double> there_and_back(ElementType type, const std::vector<double>& numbers) {
  return decoded(type, encoded(type, numbers), numbers.size());
}

TEST(Elements, SmallWholeNumbersSurviveInEveryType) {
  int types = 0;
  for (int number = 0; number <= 26; ++number) {
    const auto type = static_cast<ElementType>(number);
    if (!holds_numbers(type)) continue;
    ++types;
    EXPECT_THAT(there_and_back(type, {0, 1, 2, 3, 7}), ElementsAre(0, 1, 2, 3, 7)) << name_of(type);
  }
  EXPECT_EQ(types, 14);
}

TEST(Elements, IntegersAreRoundedToTheNearestAndStayInTheirRange) {
  EXPECT_THAT(there_and_back(ElementType::int8, {-1000, -1.5, -0.4, 0.4, 0.5, 126.6, 1000}),
              ElementsAre(-128, -2, 0, 0, 1, 127, 127));
  EXPECT_THAT(there_and_back(ElementType::uint8, {-3, 254.5, 256}), ElementsAre(0, 255, 255));
  EXPECT_THAT(there_and_back(ElementType::int4, {-9, -8, 7, 8}), ElementsAre(-8, -8, 7, 7));
  EXPECT_THAT(there_and_back(ElementType::uint4, {-1, 15, 16}), ElementsAre(0, 15, 15));
}

TEST(Elements, TheLimitsOf64BitIntegersAreNotOverrun) {
  EXPECT_EQ(encoded(ElementType::int64, {1e300}),
            std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8));
  EXPECT_EQ(encoded(ElementType::int64, {-1e300}), std::string("\0\0\0\0\0\0\0\x80", 8));
  EXPECT_EQ(encoded(ElementType::uint64, {1e300}), std::string(8, '\xff'));
}

TEST(Elements, FourBitElementsShareAByteTheFirstInTheLowHalf) {
  EXPECT_EQ(encoded(ElementType::int4, {1, -2, 3}), std::string("\xE1\x03", 2));
  EXPECT_THAT(decoded(ElementType::uint4, "\xE1\x03", 3), ElementsAre(1, 14, 3));
}

TEST(Elements, FloatsEndAtTheirLargestFiniteNumber) {
  EXPECT_EQ(there_and_back(ElementType::float32, {1e300}).front(),
            std::numeric_limits<float>::max());
  EXPECT_EQ(there_and_back(ElementType::float16, {1e300}).front(), 65504);
  EXPECT_EQ(there_and_back(ElementType::float16, {-65519}).front(), -65504);
  EXPECT_EQ(there_and_back(ElementType::bfloat16, {-1e300}).front(), -0x1.FEp127);
}

TEST(Elements, EveryFiniteHalfIsReadAndWrittenAsItself) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const std::string bytes = {static_cast<char>(bits & 0xFF), static_cast<char>(bits >> 8)};
    for (const ElementType type : {ElementType::float16, ElementType::bfloat16}) {
      const double number = decoded(type, bytes, 1).front();
      if (std::isfinite(number)) {
        ASSERT_EQ(encoded(type, {number}), bytes) << bits;
      }
    }
  }
}

TEST(Elements, HalvesAreReadAsTheirDefinitionSays) {
  const std::string bytes("\x01\x00\x00\x04\x00\x3C\xFF\x7B\x00\x7C\x00\xFC", 12);
  EXPECT_THAT(decoded(ElementType::float16, bytes, 6),
              ElementsAre(0x1p-24, 0x1p-14, 1, 65504, HUGE_VAL, -HUGE_VAL));
  EXPECT_TRUE(std::isnan(decoded(ElementType::float16, "\x01\x7E", 1).front()));
}

TEST(Elements, HalvesTakeTheNearestAndOfTwoTheEvenOne) {
  const double step = 0x1p-10;  // between halves from 1 on
  EXPECT_THAT(
      there_and_back(ElementType::float16, {1 + step / 2, 1 + 3 * step / 2, 1 + 0.51 * step}),
      ElementsAre(1, 1 + 2 * step, 1 + step));
  EXPECT_THAT(there_and_back(ElementType::float16, {0x1p-25, 0x1.8p-24, 0x1.1p-25}),
              ElementsAre(0, 0x1p-23, 0x1p-24));
  EXPECT_THAT(there_and_back(ElementType::bfloat16, {1 + 0x1p-8, 1 + 0x1.8p-7}),
              ElementsAre(1, 1 + 0x1p-6));
}

// Floats of all magnitudes and both signs, and infinities.
std::vector<float> many_floats() {
  std::vector<float> numbers;
  for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 1021 * 1024) {
    for (std::uint64_t near = 0; near < 3; ++near) {
      const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(bits + near));
      if (!std::isnan(number)) numbers.push_back(number);
    }
  }
  // Where a half changes its ways, and ties of it.
  for (const float edge : {0x1p-14F, 0x1p-24F, 0x1p-25F, 65504.0F, 65520.0F, 0x1.FEp127F, 1.0F}) {
    for (const float near : {std::nextafter(edge, 0.0F), edge, std::nextafter(edge, 1e38F)})
      numbers.insert(numbers.end(), {near, -near});
  }
  for (int i = 0; i < 64; ++i) numbers.push_back(1.0F + static_cast<float>(i) * 0x1p-12F);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  numbers.insert(numbers.end(), {infinity, -infinity});
  return numbers;
}

class CastTo : public testing::TestWithParam<ElementType> {};

TEST_P(CastTo, IsTheSameAsByWayOfNumbers) {
  const std::vector<float> floats = many_floats();
  const std::vector<double> numbers(floats.begin(), floats.end());
  const std::string_view bytes(reinterpret_cast<const char*>(floats.data()), floats.size() * 4);
  std::string made(*bytes_of(GetParam(), floats.size()), '\0');
  EXPECT_TRUE(cast_elements(ElementType::float32, bytes, GetParam(), made.data()));
  EXPECT_EQ(made, encoded(GetParam(), numbers));
  std::string back(floats.size() * 4, '\0');
  EXPECT_TRUE(cast_elements(GetParam(), made, ElementType::float32, back.data()));
  EXPECT_EQ(back, encoded(ElementType::float32, decoded(GetParam(), made, floats.size())));
}

TEST_P(CastTo, SaysWhereSomethingIsNoNumber) {
  for (const std::size_t at : {0, 1023, 1024, 1500}) {
    std::vector<float> floats(1501, 1.0F);
    floats[at] = std::numeric_limits<float>::quiet_NaN();
    const std::string_view bytes(reinterpret_cast<const char*>(floats.data()), floats.size() * 4);
    std::string made(*bytes_of(GetParam(), floats.size()), '\0');
    EXPECT_FALSE(cast_elements(ElementType::float32, bytes, GetParam(), made.data())) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, CastTo,
                         testing::Values(ElementType::float16, ElementType::bfloat16,
                                         ElementType::float64, ElementType::float32),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace hone
