#pragma once
// How much of a quantized model the CPU EP computes with integers. Where an operator stays float
// between DequantizeLinear and QuantizeLinear, quantizing it costs time instead of saving any.

#include <map>
#include <string>

#include "record/analyze.h"
#include "transform/optimize.h"

namespace hone {

// By operator, the nodes of the model that are quantized and computed in float as it stands: they
// read what a DequantizeLinear makes, and what they make is quantized again or their weights are.
std::map<std::string, std::uint64_t> count_quantized_floats(const Model& model);
// By operator, those that compute with integers or small weights.
std::map<std::string, std::uint64_t> count_integer_ops(const Model& model);

// Lets ONNX Runtime optimize the model for its CPU EP and counts before and after. That it cannot
// is told in the record.
IntegerKernels find_integer_kernels(const TransformTools& tools, const Model& model);

}  // namespace hone
