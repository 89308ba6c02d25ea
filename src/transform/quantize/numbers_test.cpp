#include "transform/quantize/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

constexpr std::array quantized_types = {ElementType::uint8, ElementType::int8, ElementType::uint16,
                                        ElementType::int16};

// Ranges of every size, on both sides of zero and on one.
RealRange random_range(Random& random) {
  const double size = std::pow(10.0, random.uniform() * 12 - 6);
  const auto a = static_cast<float>((random.uniform() - 0.5) * size);
  const auto b = static_cast<float>((random.uniform() - 0.3) * size);
  return {std::min(a, b), std::max(a, b)};
}

template <class Check>
void for_random_rules(Check check) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    ScaleRules rules;
    rules.type = quantized_types[random.below(quantized_types.size())];
    rules.symmetric = random.below(2) == 1;
    rules.reduced = random.below(4) == 0;
    check(random_range(random), rules);
  }
}

TEST(ScaleFor, PutsTheZeroPointInsideTheType) {
  for_random_rules([](RealRange range, const ScaleRules& rules) {
    const std::int32_t zero_point = scale_for(range, rules).zero_point;
    EXPECT_GE(zero_point, full_range(rules.type).low);
    EXPECT_LE(zero_point, full_range(rules.type).high);
  });
}

TEST(ScaleFor, ReachesBothEndsOfTheRangeWithinHalfAStep) {
  for_random_rules([](RealRange range, const ScaleRules& rules) {
    const Scale scale = scale_for(range, rules);
    const QuantizedRange usable = usable_range(rules);
    const double step = scale.scale;
    const double lowest = step * (usable.low - scale.zero_point);
    const double highest = step * (usable.high - scale.zero_point);
    EXPECT_LE(lowest, std::min(range.low, 0.0F) + 0.51 * step);
    EXPECT_GE(highest, std::max(range.high, 0.0F) - 0.51 * step);
  });
}

TEST(ScaleFor, IsNoWiderThanItHasToBe) {
  for_random_rules([](RealRange range, const ScaleRules& rules) {
    if (rules.symmetric) return;
    const QuantizedRange usable = usable_range(rules);
    const double width = std::max(range.high, 0.0F) - std::min(range.low, 0.0F);
    const double covered =
        static_cast<double>(scale_for(range, rules).scale) * (usable.high - usable.low);
    EXPECT_NEAR(covered / width, 1, 1e-6);
  });
}

TEST(ScaleFor, GivesSymmetricTypesTheirMiddle) {
  const RealRange range = {-1, 3};
  const auto zero_point = [&](ElementType type, bool reduced) {
    return scale_for(range, {.type = type, .symmetric = true, .reduced = reduced}).zero_point;
  };
  EXPECT_EQ(zero_point(ElementType::int8, false), 0);
  EXPECT_EQ(zero_point(ElementType::uint8, false), 128);
  EXPECT_EQ(zero_point(ElementType::int16, false), 0);
  EXPECT_EQ(zero_point(ElementType::uint16, false), 32768);
  EXPECT_EQ(zero_point(ElementType::uint8, true), 64);
}

TEST(ScaleFor, LeavesARangeWithoutWidthAtScaleOne) {
  EXPECT_EQ(scale_for({0, 0}, {}), (Scale{1, 0}));
  EXPECT_EQ(scale_for({0, 1e-40F}, {}), (Scale{1, 0}));
}

TEST(ScaleFor, WidensARangeThatIsTooNarrowForTheTarget) {
  EXPECT_FLOAT_EQ(scale_for({0, 0}, {.least_width = 1e-4F}).scale, 1e-4F / 255);
}

TEST(ScaleFor, SurvivesTheWidestRangeAFloatCanHave) {
  constexpr float most = std::numeric_limits<float>::max();
  const Scale scale = scale_for({-most, most}, {});
  EXPECT_TRUE(std::isfinite(scale.scale));
  EXPECT_EQ(scale.zero_point, 128);
}

TEST(ScaleFor, RoundsTheScaleOfAHalfPrecisionTensor) {
  const Scale scale = scale_for({0, 1}, {.real = ElementType::float16});
  EXPECT_EQ(scale.scale, 0x1.01p-8F);  // 1/255 in 11 bits
}

TEST(BiasScales, AreTheProductsOfInputAndWeight) {
  const std::vector<float> weight_scales = {0.5F, 0.25F};
  EXPECT_EQ(bias_scales(0.5F, weight_scales), (std::vector<float>{0.25F, 0.125F}));
}

TEST(WidenForBias, LetsEveryBiasFitInto32Bits) {
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    const auto weight_scale = static_cast<float>(std::pow(10.0, -random.uniform() * 9));
    const auto input_scale = static_cast<float>(std::pow(10.0, -random.uniform() * 9));
    const double bias = random.uniform() * 100;
    const float widened = widen_for_bias(weight_scale, input_scale, bias);
    EXPECT_GE(widened, weight_scale);
    EXPECT_LE(bias / (static_cast<double>(widened) * input_scale), 2147483647.0);
    const bool fits_already = bias <= 2147483646.0 / 1.0001 * weight_scale * input_scale;
    EXPECT_TRUE(!fits_already || widened == weight_scale);
  }
}

}  // namespace
}  // namespace hone
