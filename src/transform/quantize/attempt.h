#pragma once
// One request carried out once: what it makes is saved, run, and judged.

#include "transform/quantize/quantize.h"

namespace hone {

// Writes to request.output, whatever is left, and calibrates with request.calibration_cache.
// `reference` is the model that outputs are compared with: request.model, or what that one was made
// of.
Result<QuantizeResult> attempt(const QuantizeRequest& request, const Path& reference,
                               const QuantizeTools& tools);

}  // namespace hone
