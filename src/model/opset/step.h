#pragma once
// One node across one opset, by its history.

#include "model/opset/converter.h"
#include "model/opset/history.h"

namespace hone::opset {

// Rewrites the node, written for the opset below or above, for converter.opset().
Status step_up(Converter& converter, Node& node);
Status step_down(Converter& converter, Node& node);

}  // namespace hone::opset
