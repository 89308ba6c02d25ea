#pragma once
// What decides how a model is quantized.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/types.h"
#include "record/enum_names.h"
#include "transform/quantize/overrides.h"
#include "transform/quantize/presets.h"

namespace hone {

// How the range of an activation is found from what it was seen to hold.
enum class CalibrationMethod {
  minmax,      // all of it
  entropy,     // the part whose quantized distribution is nearest to what was seen
  percentile,  // all but the largest magnitudes
};

constexpr auto enum_names(CalibrationMethod) {
  return std::to_array<EnumName<CalibrationMethod>>(
      {{CalibrationMethod::minmax, "minmax"},
       {CalibrationMethod::entropy, "entropy"},
       {CalibrationMethod::percentile, "percentile"}});
}

struct QuantizeSettings {
  Preset preset;
  ElementType weight_type = ElementType::int8;
  ElementType activation_type = ElementType::uint8;
  CalibrationMethod method = CalibrationMethod::minmax;
  double percentile = 99.999;
  bool per_channel = false;  // weights: a scale for each output channel
  // Zero in the middle: of activations and of int4 weights. Other weights are so when signed.
  bool symmetric = false;
  std::int64_t block_size = 128;  // int4: elements that share a scale
  // Node names, globs, or op types. Without `include`, all nodes the preset takes.
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  std::map<std::string, TensorOverride> overrides{};  // by tensor name
};

}  // namespace hone
