#pragma once
// What is wrong with QuantizeLinear and DequantizeLinear nodes, as far as it can be seen without
// running them. ONNX Runtime opens most of these models; EPs refuse them late, or compute nonsense.

#include <vector>

#include "model/model.h"
#include "record/analyze.h"

namespace hone {

std::vector<QdqProblem> check_qdq(const Model& model);

}  // namespace hone
