#pragma once
// Nodes with weights inside the bodies of If, Loop and Scan: what static quantization does not
// reach, because no tensor there can be measured from outside.

#include <cstddef>
#include <string>

#include "model/model.h"
#include "transform/quantize/constant_matmul.h"

namespace hone {

struct InnerNodes {
  std::size_t count = 0;
  std::string words;  // "8 Conv and 4 MatMul are inside 'If_0' (If)"
};

// Those of Conv, ConvTranspose, Gemm and MatMul that `takes` takes.
InnerNodes find_inner_nodes(const Model& model, const NodeFilter& takes);

}  // namespace hone
