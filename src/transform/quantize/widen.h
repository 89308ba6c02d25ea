#pragma once
// A float16 model as a float model. Quantization starts there: scales are small numbers, and
// float16 has none below 6e-8 and few digits below 6e-5.

#include <cstddef>

#include "base/result.h"
#include "model/model.h"

namespace hone {

struct WidenReport {
  std::size_t tensors = 0;  // of float16 that are float now
  std::size_t casts = 0;    // added where the model's inputs and outputs stay float16
};

// Whether anything in the model says float16, in subgraphs and functions too.
bool has_float16(const Model& model);

// Everything that is float16 becomes float, inside of subgraphs and functions as well; inputs and
// outputs of the model stay as they are, behind Casts. Casts that then change nothing go, as far as
// the types of their inputs are known (infer_types).
Result<WidenReport> widen_float16(Model& model);

}  // namespace hone
