#include "kinds/precision.h"

namespace hone::precisions {

Precision int16() {
  return {.name = "int16",
          .summary = "16-bit weights and activations",
          .making = Making::ranges,
          .weight_type = "int16",
          .activation_type = "uint16",
          .stored_as = {"int16", "uint16"},
          .milder = {{"dynamic", "dynamic activations"}},
          .least_cosine = 0.95};
}

}  // namespace hone::precisions
