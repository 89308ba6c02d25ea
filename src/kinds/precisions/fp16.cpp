#include "kinds/precision.h"

namespace hone::precisions {

Precision fp16() {
  return {.name = "fp16",
          .summary = "Half precision where it is safe; inputs and outputs stay as they are",
          .making = Making::half,
          .stored_as = {"float16"},
          .lacking = "no node that computes in float",
          .instead = "inspect says what it computes in: hone inspect",
          .fast_on = {"gpu", "npu"},
          .elsewhere = "the CPU EP computes in fp32 between casts, so nothing gets faster",
          .tries = {{.gain = 0.4, .chance = 0.6, .cost = 2}},
          .least_cosine = 0.99};
}

}  // namespace hone::precisions
