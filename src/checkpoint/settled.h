#pragma once
// What the bytes of a written graph do not depend on.

#include "model/graph.h"

namespace hone {

// Puts nodes into the order in which the outputs need them, first inputs first, and numbers names
// in that order. The arguments of a call are computed in an order that each compiler chooses:
// without this, one checkpoint gives other bytes in a program of another compiler. REQUIRES: the
// outputs need every node, and no node has subgraphs.
void settle_order(Graph& graph);

}  // namespace hone
