#pragma once
// What is left of weights: the integers that are stored, as floats again, beside the floats they
// were.

#include "inspect/debug/pairs.h"
#include "inspect/debug/sums.h"

namespace hone {

// Any integer type, one scale, one per channel or one per block; or half precision. `original` has
// as many elements.
Result<ErrorSums> compare_weight(const StoredWeight& weight, const Tensor& original);

}  // namespace hone
