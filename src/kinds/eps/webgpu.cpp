#include "kinds/shared_needs.h"

namespace hone::eps {

Ep webgpu() {
  using enum NeedKind;
  return {.name = "webgpu",
          .own_name = "WebGpuExecutionProvider",
          .title = "WebGPU",
          .summary = "GPUs of every maker, through Vulkan, Metal or Direct3D",
          .append_name = "WebGPU",
          .devices = {"gpu"},
          .origin =
              "onnxruntime-node (npm) has it built in; as a plugin it is the package "
              "onnxruntime-ep-webgpu: --ep-library webgpu=PATH",
          .needs = {{library,
                     "Vulkan loader",
                     {"libvulkan.so.1"},
                     "install it (Debian: apt install libvulkan1)"},
                    {file,
                     "Vulkan driver",
                     {"/usr/share/vulkan/icd.d/*.json", "/usr/local/share/vulkan/icd.d/*.json",
                      "/etc/vulkan/icd.d/*.json"},
                     "install the GPU's Vulkan driver (Debian: mesa-vulkan-drivers, or NVIDIA's), "
                     "or name its manifest in VK_ICD_FILENAMES",
                     {},
                     {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}},
                    gpu_node("real GPUs, not for Vulkan in software"),
                    {variable,
                     "session folder",
                     {"XDG_RUNTIME_DIR"},
                     "set XDG_RUNTIME_DIR to a folder of yours",
                     "Vulkan in software (SwiftShader)"}},
          .options = {{"gpu", "preferredLayout", "NCHW", "another layout spares transposes"}},
          .hazards = {"ONNX Runtime 1.30 tells the placement of only some of its nodes: hone reads "
                      "the others from the log of opening a session"}};
}

}  // namespace hone::eps
