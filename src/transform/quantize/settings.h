#pragma once
// What decides how a model is quantized.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/types.h"
#include "transform/quantize/method.h"
#include "transform/quantize/overrides.h"
#include "transform/quantize/presets.h"

namespace hone {

struct QuantizeSettings {
  Preset preset;
  ElementType weight_type = ElementType::int8;
  ElementType activation_type = ElementType::uint8;
  CalibrationMethod method = methods::minmax();
  MethodSettings method_settings{};
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
