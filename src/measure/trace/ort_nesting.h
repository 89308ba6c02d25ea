#pragma once
// Which executions of a run lie inside others: the body of an If or Loop inside its node, an EP's
// kernels inside the node they were fused into. The time of the outer one includes theirs.

#include <limits>
#include <vector>

#include "measure/trace/ort_runs.h"

namespace hone {

struct NestedPiece {
  OrtPiece piece;
  // Without what lies inside, and without the gaps between nodes inside, which are the executor's
  // and the profiler's.
  double own_us = 0;
  std::uint32_t parent_op = none;

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
};

// In the order of their start.
std::vector<NestedPiece> nest(std::vector<OrtPiece> pieces,
                              const std::vector<OrtOperator>& operators);

}  // namespace hone
