#include "kinds/precision.h"

namespace hone::precisions {

Precision w4a16() {
  return {.name = "w4a16",
          .summary = "4-bit weights of MatMuls in blocks, the rest in half precision",
          .steps = {"int4", "fp16"},
          .stored_as = {"int4", "uint4", "uint8"},
          .is_of_products = true};
}

}  // namespace hone::precisions
