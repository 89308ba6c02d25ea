#pragma once
// Tensors of subgraphs, brought to where they can be looked at.

#include "model/model.h"

namespace hone {

// Makes what a subgraph's value holds an output of the node around it, up to the main graph, and
// returns the value there. Where an If takes its other branch the tensor is empty; a Loop or Scan
// stacks what its turns hold. Null where that cannot be: in a function, or below another node.
Value* lift(Model& model, Value& inner);

}  // namespace hone
