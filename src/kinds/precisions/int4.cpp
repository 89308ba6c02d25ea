#include "kinds/precision.h"

namespace hone::precisions {

Precision int4() {
  return {.name = "int4",
          .summary = "4-bit weights of MatMuls in blocks, each with its scale",
          .making = Making::blocks,
          // Packed into uint8 by operators that have no type of four bits.
          .stored_as = {"int4", "uint4", "uint8"},
          .is_of_products = true,
          .lacking = "no MatMul or Gemm with a constant weight",
          .instead = "--precision dynamic takes Conv as well; fp16 takes every op",
          .milder = {{"dynamic", "8-bit weights, dynamic activations"}},
          .fast_on = {"cpu", "gpu"},
          .elsewhere = "no kernels for blocks of 4 bits are known for NPUs",
          .tries = {{.gain = 0.4, .chance = 0.3, .cost = 2}}};
}

}  // namespace hone::precisions
