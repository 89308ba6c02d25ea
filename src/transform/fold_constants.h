#pragma once
// What depends on constants alone, computed ahead of time by ONNX Runtime's own kernels: the same
// bytes as if it were computed in every run.

#include <cstddef>
#include <memory>

#include "model/model.h"
#include "runtime/runtime.h"

namespace hone {

// Puts constants in the place of what nodes of the main graph compute from constants, Shapes of
// static values among them, and removes the nodes; returns how many went. What is quantized or
// dequantized stays: EPs look for it. So do random numbers, results above 4 MiB, and nodes that
// make a graph output. Fails where ONNX Runtime cannot compute one of them.
Result<std::size_t> fold_constants(const std::shared_ptr<Runtime>& runtime, Model& model);

}  // namespace hone
