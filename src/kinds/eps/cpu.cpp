#include "kinds/ep.h"

namespace hone::eps {

Ep cpu() {
  return {.name = "cpu",
          .own_name = "CPUExecutionProvider",
          .title = "CPU",
          .summary = "Any processor, by ONNX Runtime's own kernels (MLAS)",
          .aliases = {"mlas"},
          .devices = {"cpu"},
          .origin = "every ONNX Runtime has it",
          .recipe = {.preset = "cpu"},
          .sweep = {{"mlas_cpu", "cpu", 6}},
          .hazards = {"half precision is computed in fp32 between casts: nothing gets faster",
                      "numbers that are nearly zero (denormals) slow it down: hone perf tells"}};
}

}  // namespace hone::eps
