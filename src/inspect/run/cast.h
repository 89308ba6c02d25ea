#pragma once
// An array of one type as one of another, and what that costs.

#include <string>

#include "model/tensor.h"

namespace hone {

enum class CastLoss {
  none,     // every value is there
  rounded,  // to the nearest float
  lost,     // fractions, or values beyond the type
};

struct Cast {
  TensorPtr tensor;
  CastLoss loss = CastLoss::none;
};

// The nearest values of the type, never beyond its range. What has no value there at all (text, NaN
// as an integer, complex numbers) is refused with the reason alone.
Result<Cast> cast_tensor(const Tensor& tensor, ElementType to);

}  // namespace hone
