#pragma once
// Where dimensions stay open.

#include <cstdint>
#include <vector>

#include "model/model.h"
#include "record/fix_shapes.h"

namespace hone {

// Whether a dimension of it is no number, or nothing is known of its shape. A sequence, a map or an
// optional is none: it has no shape.
bool is_open(const Value& value);

// How many values that nodes make are open, those in branches and bodies of loops among them.
std::uint64_t count_open(const Model& model);

// The nodes of the main graph that make something open of inputs that are not, or hold such a node,
// each with the reason. REQUIRES inferred types.
std::vector<OpenShape> list_open(const Model& model);

}  // namespace hone
