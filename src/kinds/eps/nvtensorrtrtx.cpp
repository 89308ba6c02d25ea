#include "kinds/shared_needs.h"

namespace hone::eps {

Ep nvtensorrtrtx() {
  return {.name = "nvtensorrtrtx",
          .own_name = "NvTensorRTRTXExecutionProvider",
          .title = "TensorRT-RTX",
          .summary = "NVIDIA's RTX GPUs, by engines that are built on the device",
          .aliases = {"trtrtx"},
          .append_name = "NvTensorRtRtx",
          .devices = {"gpu"},
          .origin =
              "the package onnxruntime-ep-nv-tensorrt-rtx holds it as a plugin, with "
              "TensorRT-RTX: --ep-library nvtensorrtrtx=PATH",
          .needs = {nvidia_device(),
                    nvidia_driver(),
                    {NeedKind::library,
                     "TensorRT-RTX",
                     {"libtensorrt_rtx.so.1", "libtensorrt_rtx.so"},
                     "put TensorRT-RTX's lib folder on LD_LIBRARY_PATH",
                     "a plugin that does not bring it"}},
          .recipe = {.compiles_ahead = true}};
}

}  // namespace hone::eps
