#include "kinds/ep.h"

namespace hone::eps {

Ep vitisai() {
  using enum NeedKind;
  return {.name = "vitisai",
          .own_name = "VitisAIExecutionProvider",
          .title = "Vitis AI",
          .summary = "AMD's NPUs",
          .append_name = "VitisAI",
          .devices = {"npu"},
          .places = {{"npu", 3}},
          .static_shapes_on = {"npu"},
          .origin = "AMD's Ryzen AI software brings an ONNX Runtime with it: --ort PATH",
          .needs = {{plugin,
                     "Vitis AI EP",
                     {"libonnxruntime_providers_vitisai.so"},
                     "AMD's Ryzen AI software brings it: put its folder into HONE_EP_PATH",
                     "a runtime that does not have it built in"},
                    {device,
                     "NPU",
                     {"/dev/accel/accel*"},
                     "load the kernel's amdxdna driver, and join its group (sudo usermod -aG "
                     "render $USER)"},
                    {library,
                     "XRT",
                     {"libxrt_coreutil.so.2"},
                     "install AMD's XRT and the XDNA plugin, then source /opt/xilinx/xrt/setup.sh"},
                    {variable,
                     "XRT folder",
                     {"XILINX_XRT"},
                     "source /opt/xilinx/xrt/setup.sh",
                     "an XRT that is not in the system's library folders"}},
          .recipe = {.compiles_ahead = true, .quantizes_itself = true},
          .sweep = {{"vitisai_npu", "npu", 8}},
          .monitors = {"vitisai"},
          .hazards = {"it tells no times of operators inside the NPU, only that the NPU worked"}};
}

}  // namespace hone::eps
