#pragma once
// What a node alone does to its numbers in half precision: beside each node of the float model
// stands a shadow of it that reads the float model's tensors, rounded, and the weights as the half
// model stores them. What it makes, rounded, shows the damage of this node, whatever those before
// it did: behind an infinity, too.

#include "inspect/debug/half.h"
#include "inspect/debug/tracks.h"

namespace hone {

// Adds shadows to the float model and sets Track::shadow_at. A tensor without counterpart, in a
// subgraph, or made by a node that the float model has in another form gets none.
Status add_shadows(Model& float_model, const Halves& halves, const Counterparts& counterparts,
                   Tracks& tracks);

}  // namespace hone
