#include "kinds/precision.h"

namespace hone::precisions {

Precision fp32() {
  return {.name = "fp32",
          .summary = "The float model as it is",
          .stored_as = {"float"},
          .least_cosine = 0.999};
}

}  // namespace hone::precisions
