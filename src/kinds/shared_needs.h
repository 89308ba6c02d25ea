#pragma once
// What several EPs need.

#include "kinds/ep.h"

namespace hone {

inline EpNeed nvidia_device() {
  return {NeedKind::device,
          "NVIDIA device",
          {"/dev/nvidiactl"},
          "load the driver (nvidia-smi must work); in a container, pass the GPU: --gpus all"};
}

inline EpNeed nvidia_driver() {
  return {NeedKind::library,
          "NVIDIA driver",
          {"libcuda.so.1"},
          "install NVIDIA's driver (it brings libcuda.so.1)"};
}

inline EpNeed cuda_runtime() {
  return {NeedKind::library,
          "CUDA runtime",
          {"libcudart.so.13", "libcudart.so.12"},
          "install the CUDA toolkit of the major version that the EP was built for, and put its "
          "lib folder on LD_LIBRARY_PATH"};
}

// Libraries of this kind ask ONNX Runtime for its side of a table without a version.
inline EpFailure other_version() {
  return {"undefined symbol: Provider_GetHost", "version",
          "ONNX Runtime is <<runtime>> and the EP's library <<library>>: they have to be of one "
          "version",
          "take both from one package, with its libonnxruntime_providers_shared.so beside them: "
          "--ort PATH/libonnxruntime.so"};
}

inline EpNeed gpu_node(std::string_view only_for = {}) {
  return {NeedKind::device,
          "GPU",
          {"/dev/dri/renderD*"},
          "load the GPU's driver, and join its group (sudo usermod -aG render $USER); in a "
          "container, pass --device /dev/dri",
          only_for};
}

}  // namespace hone
