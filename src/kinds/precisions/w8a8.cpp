#include "kinds/precision.h"

namespace hone::precisions {

Precision w8a8() {
  return {.name = "w8a8",
          .summary = "8-bit weights and activations",
          .aliases = {"int8"},
          .making = Making::ranges,
          .weight_type = "int8",
          .activation_type = "uint8",
          .stored_as = {"int8", "uint8"},
          .milder = {{"w8a16", "16-bit activations"},
                     {"dynamic", "dynamic activations"},
                     {"int16", "16 bits throughout"}},
          .fast_on = {"cpu", "npu"},
          .elsewhere = "no integer kernels are known for GPUs",
          .tries = {{.gain = 0.5, .chance = 0.5, .cost = 3},
                    {.per_channel = true, .gain = 0.5, .chance = 0.45, .cost = 3}}};
}

}  // namespace hone::precisions
