#pragma once
// Tensors of types that NumPy does not have, in one that holds all their values: how they go
// through an .npz to a worker and back.

#include "model/tensor.h"

namespace hone {

// A copy, in NumPy's type where there is a wider one (bfloat16: float, int4: int8); null where
// there is none.
TensorPtr to_numpy_form(const Tensor& tensor);

// What to_numpy_form made of a tensor of that type, as it was; anything else is handed back.
TensorPtr from_numpy_form(const TensorPtr& tensor, ElementType type);

}  // namespace hone
