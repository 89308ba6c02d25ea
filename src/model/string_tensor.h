#pragma once
// Tensors of text.

#include <string>
#include <vector>

#include "model/tensor.h"

namespace hone {

// REQUIRES: as many strings as dims ask for.
TensorPtr make_string_tensor(std::string name, std::vector<std::int64_t> dims,
                             std::vector<std::string> strings);

}  // namespace hone
