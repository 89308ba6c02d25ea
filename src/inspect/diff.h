#pragma once
// What changed from one model to another.

#include "model/model.h"
#include "record/model_diff.h"

namespace hone {

// Names of nodes and of values inside the graph do not count, nor does the order of nodes, the
// producer, documentation, or where weights are stored: two models that differ in nothing else are
// equal. Weights are compared by content where both are there.
ModelDiff diff_models(const Model& before, const Model& after);

}  // namespace hone
