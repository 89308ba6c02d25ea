#pragma once
// How many numbers of a tensor half precision has no room for.

#include "base/result.h"
#include "inspect/debug/half.h"
#include "model/tensor.h"

namespace hone {

struct RangeCounts {
  std::uint64_t numbers = 0;    // finite, and not zero
  std::uint64_t overflow = 0;   // of them, that round to infinity
  std::uint64_t underflow = 0;  // that round to zero
  std::uint64_t subnormal = 0;  // that keep few digits
  double largest = 0;           // magnitude

  // Of a tensor in float that is to be of that type.
  Status add(const Tensor& tensor, ElementType type);
  // Most of them are lost, or keep few digits.
  bool is_mostly_small() const { return 2 * (underflow + subnormal) > numbers; }
};

}  // namespace hone
