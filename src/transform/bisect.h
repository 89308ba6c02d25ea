#pragma once
// Which of ONNX Runtime's optimizers breaks a model, or moves its numbers.

#include "record/optimize.h"
#include "transform/optimize.h"

namespace hone {

// Opens the model at each level and compares its outputs with those at none. At the first level
// that fails, or differs by more than `tolerance`, each optimizer is switched off in turn: those
// that mend it alone are the suspects.
Result<BisectReport> bisect_optimizers(const TransformTools& tools, const Model& model,
                                       const std::vector<Sample>& samples, double tolerance);

}  // namespace hone
