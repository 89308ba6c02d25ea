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
          .places = {{"gpu", 2}},
          .origin =
              "the package onnxruntime-ep-nv-tensorrt-rtx holds it as a plugin, with "
              "TensorRT-RTX: HONE_EP_PATH=FOLDER or --ep-library nvtensorrtrtx=PATH",
          .needs = {nvidia_device(),
                    nvidia_driver(),
                    {NeedKind::plugin,
                     "TensorRT-RTX EP",
                     {"libonnxruntime_providers_nv_tensorrt_rtx.so"},
                     "the package onnxruntime-ep-nv-tensorrt-rtx brings it: put its folder into "
                     "HONE_EP_PATH"},
                    {NeedKind::library,
                     "TensorRT-RTX",
                     {"libtensorrt_rtx.so.1", "libtensorrt_rtx.so"},
                     "put TensorRT-RTX's lib folder on LD_LIBRARY_PATH",
                     "a plugin that does not bring it"}},
          .recipe = {.compiles_ahead = true}};
}

}  // namespace hone::eps
