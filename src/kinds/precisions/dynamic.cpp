#include "kinds/precision.h"

namespace hone::precisions {

Precision dynamic() {
  return {.name = "dynamic",
          .summary = "8-bit weights, activations quantized while the model runs",
          .making = Making::while_running,
          .weight_type = "int8",
          .stored_as = {"int8", "uint8"},
          .is_of_products = true,
          .lacking = "no MatMul, Gemm or Conv with a constant weight",
          .instead = "--precision fp16 takes every op",
          .milder = {{"fp16", "half precision"}},
          .fast_on = {"cpu"},
          .elsewhere = "its operators have kernels on the CPU alone",
          .tries = {{.gain = 0.4, .chance = 0.4, .cost = 2}}};
}

}  // namespace hone::precisions
