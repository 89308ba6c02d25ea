#pragma once
// What a graph is made of, in numbers.

#include <vector>

#include "model/model.h"
#include "record/analyze.h"

namespace hone {

// Attention and normalization in their parts are counted where the shapes they need are known.
// REQUIRES that nodes are in topological order for `depth`.
GraphFeatures gather_features(const Model& model);

// The dimensions of inputs that are open, in their order.
std::vector<DynamicAxis> list_dynamic_axes(const Model& model);

}  // namespace hone
