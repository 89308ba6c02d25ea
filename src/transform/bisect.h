#pragma once
// Which of ONNX Runtime's optimizers breaks a model, or moves its numbers.

#include <atomic>

#include "record/optimize.h"
#include "transform/optimize.h"

namespace hone {

struct BisectOptions {
  Numerics promise = Numerics::close;
  const std::atomic<bool>* stop = nullptr;  // set: what is known so far is the answer
};

// Opens the model at each level and judges its outputs by those at none. At the first level that
// fails or computes something else optimizers are switched off, all at first, then halves of what
// mended it: those that mend it alone are the suspects. Where nobody does, those that do together.
Result<BisectReport> bisect_optimizers(const TransformTools& tools, const Model& model,
                                       const std::vector<Sample>& samples,
                                       const BisectOptions& options = {});

}  // namespace hone
