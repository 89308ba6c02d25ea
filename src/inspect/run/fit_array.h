#pragma once
// An array as an input takes it, or what is wrong with it.

#include <string>

#include "model/tensor.h"
#include "runtime/session.h"

namespace hone {

struct FittedArray {
  TensorPtr tensor;  // under the input's name
  std::string note;  // of a cast; empty: none
};

// Types are cast where every value is kept, and from double to float where they are rounded;
// anything else is refused unless it `may_lose`. Shapes are never changed. `from` is what the array
// is called in messages.
Result<FittedArray> fit_array(const TensorPtr& array, const Port& input, const std::string& from,
                              bool may_lose);

// Whether it could, but for its values.
bool may_fit(const Tensor& array, const Type& type);

// "the input 'x' does not take 'cat.npy'": what every message of this kind begins with.
std::string does_not_take(const Port& input, const std::string& from);

}  // namespace hone
