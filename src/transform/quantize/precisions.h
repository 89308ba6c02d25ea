#pragma once
// Brings a model to a precision: how each Making of kinds/precision.h is done.

#include "kinds/precision.h"
#include "transform/quantize/job.h"

namespace hone {

// REQUIRES a precision that is made by itself.
Status apply_precision(Model& model, const Precision& precision, QuantizeJob& job);

// Undefined where the precision is not about integers by scales.
ElementType weight_type_of(const Precision& precision);
// Undefined where activations need no calibration.
ElementType activation_type_of(const Precision& precision);

}  // namespace hone
