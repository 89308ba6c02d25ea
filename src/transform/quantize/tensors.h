#pragma once
// Whole tensors to integers: per tensor or per channel, in one pass over bytes that may lie
// anywhere in a mapped file.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"
#include "transform/quantize/numbers.h"

namespace hone {

// How a tensor is quantized: one scale for all of it, or one for each index of an axis.
struct TensorScales {
  ElementType type = ElementType::uint8;
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // as many
  std::optional<std::size_t> axis;        // without one there is one scale
};

// The elements of a float or float16 tensor in order, some at a time.
Status for_each_float(const Tensor& tensor,
                      const std::function<void(std::span<const float> floats)>& visit);

// What the tensor (float or float16) holds: one range, or one per index of the axis. An empty
// tensor holds zero; one with NaN or infinity is refused by name.
Result<std::vector<RealRange>> ranges_of(const Tensor& tensor, std::optional<std::size_t> axis);

// REQUIRES: an 8- or 16-bit type, and scales that fit the tensor's axis.
Result<TensorPtr> quantize_tensor(const Tensor& tensor, const TensorScales& scales,
                                  std::string name);

// To int32 with zero point 0, in double precision; what does not fit is clipped. REQUIRES: one
// scale, or one per element.
Result<TensorPtr> quantize_bias(const Tensor& bias, std::span<const float> scales,
                                std::string name);

}  // namespace hone
