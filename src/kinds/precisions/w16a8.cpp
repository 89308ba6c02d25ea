#include "kinds/precision.h"

namespace hone::precisions {

Precision w16a8() {
  return {.name = "w16a8",
          .summary = "16-bit weights, 8-bit activations",
          .making = Making::ranges,
          .weight_type = "int16",
          .activation_type = "uint8",
          .stored_as = {"int16", "uint16"},
          .tables_as = {"int8", "uint8"},
          .milder = {{"dynamic", "dynamic activations"}, {"int16", "16 bits throughout"}}};
}

}  // namespace hone::precisions
