#include "transform/quantize/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/result.h"
#include "model/elements.h"

namespace hone {
namespace {

struct Ranges {
  ElementType type;
  QuantizedRange full;
  QuantizedRange symmetric;
  QuantizedRange reduced;
};

// Symmetric signed types give up their lowest value, so that both sides have the same width.
constexpr std::array<Ranges, 6> table = {{
    {ElementType::uint8, {0, 255}, {0, 255}, {0, 127}},
    {ElementType::int8, {-128, 127}, {-127, 127}, {-64, 64}},
    {ElementType::uint16, {0, 65535}, {0, 65535}, {0, 32767}},
    {ElementType::int16, {-32768, 32767}, {-32767, 32767}, {-16384, 16384}},
    {ElementType::uint4, {0, 15}, {0, 15}, {0, 7}},
    {ElementType::int4, {-8, 7}, {-8, 7}, {-4, 3}},
}};

const Ranges* find_ranges(ElementType type) {
  const auto row = std::ranges::find(table, type, &Ranges::type);
  return row != table.end() ? &*row : nullptr;
}

const Ranges& ranges_for(ElementType type) {
  const Ranges* row = find_ranges(type);
  HONE_CHECK(row != nullptr);
  return *row;
}

// The nearest number of the real type.
float rounded(double number, ElementType real) {
  if (real == ElementType::float32) return static_cast<float>(number);
  std::array<char, 2> bytes{};
  encode_elements(real, std::span(&number, 1), bytes.data());
  double nearest = 0;
  decode_elements(real, {bytes.data(), bytes.size()}, std::span(&nearest, 1));
  return static_cast<float>(nearest);
}

double smallest_normal(ElementType real) {
  return real == ElementType::float16 ? 0x1p-14 : std::numeric_limits<float>::min();
}

RealRange prepared(RealRange range, const ScaleRules& rules) {
  range.low = std::min(range.low, 0.0F);
  range.high = std::max(range.high, 0.0F);
  range.high = std::max(range.high, range.low + rules.least_width);
  if (!rules.symmetric) return range;
  const float magnitude = std::max(-range.low, range.high);
  return {-magnitude, magnitude};
}

// Rounded as a subtraction in the real type rounds; exact where that one would overflow.
double width_of(RealRange range, ElementType real) {
  const double exact = static_cast<double>(range.high) - static_cast<double>(range.low);
  if (exact > std::numeric_limits<float>::max()) return exact;
  return rounded(exact, real);
}

}  // namespace

bool is_quantized_type(ElementType type) { return find_ranges(type) != nullptr; }

QuantizedRange full_range(ElementType type) { return ranges_for(type).full; }

QuantizedRange usable_range(const ScaleRules& rules) {
  const Ranges& ranges = ranges_for(rules.type);
  if (rules.reduced) return ranges.reduced;
  return rules.symmetric ? ranges.symmetric : ranges.full;
}

Scale scale_for(RealRange range, const ScaleRules& rules) {
  HONE_CHECK(std::isfinite(range.low) && std::isfinite(range.high));
  const QuantizedRange usable = usable_range(rules);
  const RealRange real = prepared(range, rules);
  const double scale = width_of(real, rules.real) / (static_cast<double>(usable.high) - usable.low);
  if (scale < smallest_normal(rules.real)) return {};
  // nearbyint rounds halves to even, as everywhere in these tools.
  const double zero_point =
      rules.symmetric ? std::nearbyint((usable.low + usable.high) / 2.0)
                      : std::nearbyint(usable.low - static_cast<double>(real.low) / scale);
  return {rounded(scale, rules.real), static_cast<std::int32_t>(zero_point)};
}

std::vector<float> bias_scales(float input_scale, std::span<const float> weight_scales) {
  std::vector<float> scales;
  for (const float weight_scale : weight_scales) {
    scales.push_back(input_scale * weight_scale);
  }
  return scales;
}

double least_bias_scale(double largest_magnitude) {
  constexpr double integers = 4294967294.0;  // from -(2^31 - 1) to 2^31 - 1
  constexpr double margin = 1.0001;          // against rounding at the very end
  return margin * (2.0 * largest_magnitude) / integers;
}

float widen_for_bias(float weight_scale, float input_scale, double largest_bias) {
  const double product = static_cast<double>(input_scale) * weight_scale;
  const double least = least_bias_scale(largest_bias);
  if (!(product > 0) || product >= least) return weight_scale;
  return static_cast<float>(static_cast<double>(weight_scale) * (least / product));
}

}  // namespace hone
