#include "kinds/shared_needs.h"

namespace hone::eps {
namespace {

std::vector<EpNeed> needs() {
  using enum NeedKind;
  return {gpu_node("the GPU"),
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
      .origin =
          "the package onnxruntime-ep-openvino holds it as a plugin, with OpenVINO: "
          "--ep-library openvino=PATH",
      .needs = needs(),
      .recipe = {.preset = "openvino", .compiles_ahead = true},
      .options = {{"npu", "enable_qdq_optimizer", "True",
                   "quantizing and its inverse are arranged for the NPU"}},
      .sweep = {{"ov_cpu", "cpu", 3}, {"ov_npu", "npu", 4}, {"ov_gpu", "gpu", 5}},
      .monitors = {"openvino"},
      .hazards = {"its GPU has no kernel for a constant batched operand of MatMul: "
                  "untie-constant-batched-matmul",
                  "before ONNX Runtime 1.25 a trace shows each compiled graph as one operator"}};
}

}  // namespace hone::eps
