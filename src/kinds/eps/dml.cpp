#include "kinds/ep.h"

namespace hone::eps {

Ep dml() {
  return {.name = "dml",
          .own_name = "DmlExecutionProvider",
          .title = "DirectML",
          .summary = "GPUs of every maker on Windows",
          .aliases = {"directml"},
          .append_name = "DML",
          .devices = {"gpu"},
          .places = {{"gpu", 7}},
          .origin = "DirectML is a part of Windows: there is none on Linux",
          .sweep = {{"dml_gpu", "gpu", 7}}};
}

}  // namespace hone::eps
