#pragma once
// What flows that change models stand on: ONNX Runtime in this process, and the library that knows
// shapes.

#include "flow/watch.h"
#include "record/where.h"
#include "transform/optimize.h"

namespace hone {

Result<TransformTools> make_tools(const Host& host, const Watch& watch);

}  // namespace hone
