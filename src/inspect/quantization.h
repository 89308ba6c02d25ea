#pragma once
// Every quantized tensor of a model with its scale, zero point, type and axis.

#include <vector>

#include "model/model.h"
#include "record/model_facts.h"

namespace hone {

// In the order of the nodes. A QuantizeLinear stands for the tensor it reads and a DequantizeLinear
// for the tensor it makes, so `tensor` is the float tensor's name; operators that compute on
// integers have none, and the integer tensor's name stands there. A scale that is computed, absent
// or per block (one for every few elements of a weight) is null.
std::vector<QuantizedTensor> list_quantization(const Model& model);

}  // namespace hone
