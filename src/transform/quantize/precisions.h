#pragma once
// The precisions a model can be brought to: one row each. A row is a function, so that what is no
// static quantization (other weights only, other float types) is a row as well.

#include <span>
#include <string_view>

#include "transform/quantize/job.h"

namespace hone {

struct Precision {
  std::string_view name;
  std::string_view summary;
  ElementType weight_type = ElementType::undefined;  // where it is about types of integers
  // Undefined where activations need no calibration.
  ElementType activation_type = ElementType::undefined;
  Status (*apply)(Model& model, const Precision& precision, QuantizeJob& job);
};

std::span<const Precision> all_precisions();
// Null when there is none of that name.
const Precision* find_precision(std::string_view name);

}  // namespace hone
