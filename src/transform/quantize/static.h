#pragma once
// Static quantization: ranges of activations are measured, and everything that can becomes integers
// between QuantizeLinear and DequantizeLinear.

#include "transform/quantize/precisions.h"

namespace hone {

Status apply_static(Model& model, const Precision& precision, QuantizeJob& job);

}  // namespace hone
