#pragma once
// Weights that are declared as inputs as well. Files of IR 3 must do that and exporters of the time
// went on with it: PyTorch 1.2 writes IR 4 and every weight as an input. Nobody hands them in, but
// ONNX Runtime may not fold or fuse them, and there is nothing constant to quantize.

#include <cstddef>

#include "model/model.h"

namespace hone {

// Takes weights out of the inputs where all of them are there; a few that are were chosen, and
// stay: a threshold with a default. Returns how many went.
std::size_t fix_default_inputs(Model& model);

// What to tell of it; empty where none went.
std::string note_of_fixed_inputs(std::size_t count);

}  // namespace hone
