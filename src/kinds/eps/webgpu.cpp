#include "kinds/shared_needs.h"

namespace hone::eps {

Ep webgpu() {
  using enum NeedKind;
  return {
      .name = "webgpu",
      .own_name = "WebGpuExecutionProvider",
      .title = "WebGPU",
      .summary = "GPUs of every maker, through Vulkan, Metal or Direct3D",
      .append_name = "WebGPU",
      .devices = {"gpu"},
      .places = {{"gpu", 8}},
      .origin =
          "onnxruntime-node (npm) has it built in; as a plugin it is the package "
          "onnxruntime-ep-webgpu: HONE_EP_PATH=FOLDER or --ep-library webgpu=PATH",
      .needs = {{plugin,
                 "WebGPU EP",
                 {"libonnxruntime_providers_webgpu.so"},
                 "the package onnxruntime-ep-webgpu brings it: put its folder into HONE_EP_PATH",
                 "a runtime that does not have it built in"},
                {library,
                 "Vulkan loader",
                 {"libvulkan.so.1"},
                 "install it (Debian: apt install libvulkan1)"},
                {vulkan_driver,
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
      .failures = {{"WebGPU adapter", "Vulkan",
                    "WebGPU starts, and Vulkan shows it no GPU: see the driver below",
                    "vulkaninfo --summary lists what Vulkan sees"},
                   {"killed by SIGABRT", "Vulkan",
                    "a driver ended the process when it was started, as NVIDIA's for X11 does "
                    "without a display",
                    "name the manifest of a driver that starts in VK_ICD_FILENAMES"}},
      .tries = {{.device = "gpu",
                 .precision = "fp16",
                 .reason = "half the bytes, where the GPU's shaders compute in them",
                 .gain = 0.3,
                 .chance = 0.5,
                 .cost = 1.5},
                {.device = "gpu",
                 .options = {{"preferredLayout", "NCHW"}},
                 .acts_on = "Conv",
                 .reason = "another layout spares transposes"}},
      .graph_option = "enableGraphCapture",
      .monitors = {"webgpu"},
      .hazards = {"ONNX Runtime 1.30 tells the placement of only some of its nodes: hone reads "
                  "the others from the log of opening a session"}};
}

}  // namespace hone::eps
