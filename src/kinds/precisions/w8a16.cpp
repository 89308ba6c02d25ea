#include "kinds/precision.h"

namespace hone::precisions {

Precision w8a16() {
  return {.name = "w8a16",
          .summary = "8-bit weights, 16-bit activations",
          .making = Making::ranges,
          .weight_type = "int8",
          .activation_type = "uint16",
          .stored_as = {"int8", "uint8"},
          .tables_as = {"int16", "uint16"},
          .milder = {{"dynamic", "dynamic activations"}, {"int16", "16 bits throughout"}},
          .usual_on = "npu",
          .usual_because = "what NPUs compute with",
          .fast_on = {"npu"},
          .elsewhere = "only NPUs have kernels for activations of 16 bits",
          .tries = {{.gain = 0.5, .chance = 0.6, .cost = 3}},
          .least_cosine = 0.95};
}

}  // namespace hone::precisions
