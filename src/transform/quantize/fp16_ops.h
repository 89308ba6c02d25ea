#pragma once
// What float16 means to each op: which ones have to stay float, which inputs and outputs are float
// even so, and which attributes name the type.

#include <cstdint>
#include <string>

#include "model/graph.h"

namespace hone {

// Why a node cannot compute in float16, as a clause; empty when it can.
std::string why_float(const Node& node, std::int64_t opset);

// Inputs and outputs that are float in a node that computes in float16.
bool takes_float(const Node& node, std::size_t input, std::int64_t opset);
bool makes_float(const Node& node, std::size_t output);

// Attributes that say the node makes `from` now say `to`.
void say_type(Node& node, ElementType from, ElementType to);

}  // namespace hone
