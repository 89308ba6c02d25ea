#pragma once
// Which values of a model are half precision.

#include <unordered_map>

#include "model/model.h"

namespace hone {

// As the model declares it; where it does not, by the node that makes the value: most operators
// make what they are given. Subgraphs included.
std::unordered_map<const Value*, ElementType> half_values(const Model& model);

}  // namespace hone
