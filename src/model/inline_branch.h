#pragma once
// A branch in the place of the node that holds it.

#include <vector>

#include "model/model.h"

namespace hone {

// Copies the nodes and weights of a graph without inputs, one that `holder` holds, into the graph
// of `holder` and before it. Returns what stands for each output of the branch there; `holder` is
// left as it is.
std::vector<Value*> inline_branch(const Node& holder, const Graph& branch);

}  // namespace hone
