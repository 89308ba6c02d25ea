#pragma once
// Whole-graph tidying used by every transformation.

#include <cstddef>
#include <vector>

#include "model/model.h"

namespace hone {

// The nodes of one graph in an order in which every value is made before it is used (by the node
// itself or inside its subgraphs), as close to the present order as that allows. Fails on a cycle
// and names a node in it.
Result<std::vector<Node*>> topological_order(Graph& graph);

// Puts the nodes of a graph and of its subgraphs into topological order.
Status sort_topologically(Graph& graph);

// Puts weights and annotations of all graphs into the order of their names. ONNX Runtime writes
// them in the order of a hash table that is seeded anew in each process: without this, equal work
// gives other bytes.
void sort_values(Model& model);

// Removes nodes whose outputs nobody uses, to a fixed point, in subgraphs too. Returns how many
// went.
std::size_t remove_dead_nodes(Graph& graph);

// Removes initializers nobody uses (those that are also graph inputs stay: the caller's interface).
// Returns how many went.
std::size_t remove_unused_initializers(Graph& graph);

}  // namespace hone
