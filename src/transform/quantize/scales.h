#pragma once
// From ranges to scales, for every tensor of a plan.

#include <map>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "transform/quantize/plan.h"
#include "transform/quantize/tensors.h"

namespace hone {

// By the tensor's name.
using Ranges = std::map<std::string, RealRange>;

// The activations whose range has to be measured.
std::vector<std::string> tensors_to_measure(const QuantizePlan& plan,
                                            const QuantizeSettings& settings);

using ScaleMap = std::unordered_map<const Value*, TensorScales>;

// Scales of all tensors, shared ones included; reads the weights. A weight's scale is raised where
// the bias beside it would not fit 32 bits. REQUIRES: `ranges` has what tensors_to_measure asks
// for.
Result<ScaleMap> find_scales(const QuantizePlan& plan, const QuantizeSettings& settings,
                             const Ranges& ranges);

}  // namespace hone
