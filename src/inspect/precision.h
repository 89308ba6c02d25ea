#pragma once
// One word for the numbers a model computes with, derived from the artifact itself.

#include <string>

#include "model/model.h"

namespace hone {

// Looks at the weights of the operators that multiply (convolutions, matrix products, recurrent
// layers, in subgraphs and functions too) and takes the word that more than half of their elements
// have; "mixed" when none does.
//
//   fp32 fp16 bf16 fp64 fp8   the weight is of that type
//   w8a8 w8a16 w16a16 w4a16   the weight has that many bits and the other operand is quantized with
//                             static scales (QDQ, or QLinear operators)
//   int4 int8                 only the weight is quantized (MatMulNBits, or DequantizeLinear alone)
//   dynamic                   activations are quantized while it runs (MatMulInteger and the like)
//
// A model without such weights has the type of most of its float weights, else that of its first
// float input or output, else "none".
std::string precision_of(const Model& model);

}  // namespace hone
