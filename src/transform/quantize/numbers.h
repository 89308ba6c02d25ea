#pragma once
// The arithmetic of linear quantization, real = scale * (quantized - zero_point), number for number
// that of ONNX Runtime's own tools, so that two models compare tensor by tensor.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/types.h"

namespace hone {

// What a tensor was seen to hold, or is taken to hold.
struct RealRange {
  float low = 0;
  float high = 0;
  bool operator==(const RealRange&) const = default;
};

// The integers a quantized value may take, both ends included.
struct QuantizedRange {
  std::int32_t low = 0;
  std::int32_t high = 0;
  bool operator==(const QuantizedRange&) const = default;
};

// Whether tensors can be quantized to the type: integers of 4, 8 and 16 bits.
bool is_quantized_type(ElementType type);

// REQUIRES: is_quantized_type(type) for the two below.
QuantizedRange full_range(ElementType type);

// How a scale is found from a range.
struct ScaleRules {
  ElementType type = ElementType::uint8;
  bool symmetric = false;  // the range is made as wide below zero as above
  bool reduced = false;    // one bit less: 8-bit sums overflow on x64 without VNNI
  float least_width = 0;   // a narrower range is widened; some EPs refuse tiny scales
  ElementType real = ElementType::float32;  // what the scale is stored as; float16 rounds it
};

// The part of the type's range these rules use.
QuantizedRange usable_range(const ScaleRules& rules);

struct Scale {
  float scale = 1;
  std::int32_t zero_point = 0;
  bool operator==(const Scale&) const = default;
};

// The range always gets to include zero, which is then exactly representable. A range without width
// has scale 1. REQUIRES: both ends are finite.
Scale scale_for(RealRange range, const ScaleRules& rules);

// A bias is added to the products of input and weight, so it has to have their scale.
std::vector<float> bias_scales(float input_scale, std::span<const float> weight_scales);

// The smallest product of input and weight scale under which a bias of this magnitude fits 32 bits.
double least_bias_scale(double largest_magnitude);

// The scale of a weight, raised where the bias behind it would not fit.
float widen_for_bias(float weight_scale, float input_scale, double largest_bias);

}  // namespace hone
