#pragma once
// Weights too small for a normal float. CPUs compute with them in microcode, some hundred times
// slower, unless they are told to take them for zero.

#include <cstdint>

#include "model/model.h"

namespace hone {

struct DenormalCount {
  std::uint64_t denormal = 0;
  std::uint64_t total = 0;  // elements that were looked at
};

// Over float32 and float64 initializers and constants, in subgraphs and functions too. float16 is
// left out: what is denormal there is normal as the float32 it is computed in. So is what is not
// there (missing external data).
DenormalCount count_denormal_weights(const Model& model);

}  // namespace hone
