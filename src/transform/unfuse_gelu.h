#pragma once
// The approximation of a Gelu that two operators stand for.

#include "transform/unfuse.h"

namespace hone {

// x * (0.5 + 0.5 * tanh(x * (sqrt(2 / pi) * 0.044715 * x * x + sqrt(2 / pi))))
Value& gelu_by_tanh(Parts& parts, Value& x);

}  // namespace hone
