#include "kinds/shared_needs.h"

namespace hone::eps {
namespace {

std::vector<EpNeed> needs() {
  using enum NeedKind;
  return {{plugin,
           "OpenVINO EP",
           {"libonnxruntime_providers_openvino_plugin.so", "libonnxruntime_providers_openvino.so"},
           "the package onnxruntime-ep-openvino brings it: put its folder into HONE_EP_PATH",
           "a runtime that does not have it built in"},
          gpu_node("the GPU"),
          {library,
           "OpenCL loader",
           {"libOpenCL.so.1"},
           "install it and Intel's GPU driver (Debian: ocl-icd-libopencl1, intel-opencl-icd)",
           "the GPU"},
          {device,
           "NPU",
           {"/dev/accel/accel*"},
           "load the kernel's intel_vpu driver (6.3 or newer) with its firmware, and join its "
           "group (sudo usermod -aG render $USER)",
           "the NPU"},
          {library, "Level Zero loader", {"libze_loader.so.1"}, "install Level Zero", "the NPU"},
          {library,
           "NPU driver",
           {"libze_intel_npu.so.1", "libze_intel_vpu.so.1"},
           "install intel-level-zero-npu and intel-driver-compiler-npu (github.com/intel/"
           "linux-npu-driver)",
           "the NPU"}};
}

}  // namespace

Ep openvino() {
  return {
      .name = "openvino",
      .own_name = "OpenVINOExecutionProvider",
      .title = "OpenVINO",
      .summary = "Intel's processors, GPUs and NPUs",
      .aliases = {"ov"},
      .append_name = "OpenVINO",
      .devices = {"npu", "gpu", "cpu"},
      .places = {{"npu", 2}, {"gpu", 5}, {"cpu", 2}},
      // "Dynamic shapes: No" for the NPU in OpenVINO's table of supported devices (2025).
      .static_shapes_on = {"npu"},
      .origin =
          "the package onnxruntime-ep-openvino holds it as a plugin, with OpenVINO: "
          "HONE_EP_PATH=FOLDER or --ep-library openvino=PATH",
      .needs = needs(),
      .recipe = {.preset = "openvino", .compiles_ahead = true},
      .tries = {{.device = "npu",
                 .options = {{"enable_qdq_optimizer", "True"}},
                 .reason = "quantizing and its inverse are arranged for the NPU"}},
      .sweep = {{"ov_cpu", "cpu", 3}, {"ov_npu", "npu", 4}, {"ov_gpu", "gpu", 5}},
      .is_synchronous = true,
      .monitors = {"openvino"},
      .hazards = {"its GPU has no kernel for a constant batched operand of MatMul: "
                  "untie-constant-batched-matmul",
                  "before ONNX Runtime 1.25 a trace shows each compiled graph as one operator"}};
}

}  // namespace hone::eps
