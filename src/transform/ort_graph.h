#pragma once
// ONNX Runtime's own graph optimizers, each of them on or off.

#include <memory>
#include <optional>

#include "model/model.h"
#include "runtime/runtime.h"
#include "transform/capability.h"

namespace hone {

// A model together with the folder its weights are mapped from.
struct OptimizedModel {
  Model model;
  std::shared_ptr<TemporaryFolder> folder{};
};

// The level of ONNX Runtime's optimization these need.
int level_of(const CapabilitySet& capabilities);

// Runs the optimizers the capabilities stand for and no others of those that can be switched off.
// Some cannot: at each level ONNX Runtime does more unasked, so what a capability does is seen
// against a run at the same level. At level 0 the model is handed back as it is. QDQ pairs are left
// alone. Fails when ONNX Runtime cannot open the model.
Result<OptimizedModel> optimize_with_ort(const std::shared_ptr<Runtime>& runtime,
                                         const Model& model, const CapabilitySet& capabilities,
                                         int level);

// The graph as the CPU EP runs it, but for its layout: with all optimizers up to the extended ones,
// and integer kernels in the place of operators between QDQ pairs.
Result<OptimizedModel> lower_for_cpu(const std::shared_ptr<Runtime>& runtime, const Model& model);

}  // namespace hone
