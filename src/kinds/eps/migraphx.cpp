#include "kinds/shared_needs.h"

namespace hone::eps {

Ep migraphx() {
  using enum NeedKind;
  return {.name = "migraphx",
          .own_name = "MIGraphXExecutionProvider",
          .title = "MIGraphX",
          .summary = "AMD's GPUs, by ROCm",
          .devices = {"gpu"},
          .places = {{"gpu", 4}},
          .origin = "AMD's builds of ONNX Runtime (onnxruntime-migraphx) hold it: --ort PATH",
          .needs = {{device,
                     "ROCm device",
                     {"/dev/kfd"},
                     "load the amdgpu driver, and join its group (sudo usermod -aG render $USER); "
                     "in a container, pass --device /dev/kfd --device /dev/dri"},
                    gpu_node(),
                    {library,
                     "MIGraphX",
                     {"libmigraphx_c.so.3"},
                     "install ROCm and MIGraphX, and put /opt/rocm/lib on LD_LIBRARY_PATH"},
                    {plugin,
                     "MIGraphX EP",
                     {"libonnxruntime_providers_migraphx.so"},
                     "use AMD's build of ONNX Runtime (--ort PATH), which has it beside it"}},
          .failures = {other_version()}};
}

}  // namespace hone::eps
