#pragma once
// The op types of a model by node name, for naming the operators of a trace.

#include "measure/trace/names.h"
#include "model/model.h"

namespace hone {

NodeTypes node_types_of(const Model& model);

}  // namespace hone
