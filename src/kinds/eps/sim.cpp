#include "kinds/ep.h"

namespace hone::eps {

Ep sim() {
  return {.name = "sim",
          .own_name = "HoneSim",
          .title = "sim",
          .summary = "A simulated accelerator, for tests and demonstrations",
          .devices = {"npu", "gpu", "cpu"},
          .comes_with_hone = true,
          .origin =
              "libhone_ep.so comes with hone and is found beside it (bin/../lib/hone); "
              "elsewhere: --ep-library hone.virtual=PATH",
          .recipe = {.preset = "qnn", .compiles_ahead = true},
          .is_synchronous = true,
          .monitors = {"sim"},
          .hazards = {"its speed is that of the CPU and of what its profile says: docs/sim.md"}};
}

}  // namespace hone::eps
