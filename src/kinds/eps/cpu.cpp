#include "kinds/ep.h"

namespace hone::eps {

Ep cpu() {
  return {.name = "cpu",
          .own_name = "CPUExecutionProvider",
          .title = "CPU",
          .summary = "Any processor, by ONNX Runtime's own kernels (MLAS)",
          .devices = {"cpu"},
          .places = {{"cpu", 1}},
          .origin = "every ONNX Runtime has it",
          .recipe = {.preset = "cpu"},
          .uses_session_threads = true,
          .sweep = {{"mlas_cpu", "cpu", 6}},
          .is_synchronous = true,
          .hazards = {"half precision is computed in fp32 between casts: nothing gets faster",
                      "numbers that are nearly zero (denormals) slow it down: hone perf tells"}};
}

}  // namespace hone::eps
