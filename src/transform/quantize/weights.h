#pragma once
// Precisions that need no calibration: other weights, or other floats.

#include "transform/quantize/precisions.h"

namespace hone {

Status apply_int4(Model& model, const Precision& precision, QuantizeJob& job);
Status apply_fp16(Model& model, const Precision& precision, QuantizeJob& job);
Status apply_dynamic(Model& model, const Precision& precision, QuantizeJob& job);

}  // namespace hone
