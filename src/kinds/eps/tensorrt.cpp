#include "kinds/shared_needs.h"

namespace hone::eps {

Ep tensorrt() {
  using enum NeedKind;
  return {.name = "tensorrt",
          .own_name = "TensorrtExecutionProvider",
          .title = "TensorRT",
          .summary = "NVIDIA's GPUs, by engines that TensorRT builds",
          .aliases = {"trt"},
          .devices = {"gpu"},
          .places = {{"gpu", 3}},
          .origin =
              "Microsoft's GPU builds of ONNX Runtime hold libonnxruntime_providers_tensorrt.so "
              "beside it: --ort PATH",
          .needs = {nvidia_device(),
                    nvidia_driver(),
                    {plugin,
                     "TensorRT EP",
                     {"libonnxruntime_providers_tensorrt.so"},
                     "use a GPU build of ONNX Runtime (--ort PATH), which has it beside it"},
                    {library,
                     "TensorRT",
                     {"libnvinfer.so.10"},
                     "install TensorRT 10 and put its lib folder on LD_LIBRARY_PATH"},
                    {library,
                     "TensorRT's ONNX parser",
                     {"libnvonnxparser.so.10"},
                     "install TensorRT 10 and put its lib folder on LD_LIBRARY_PATH"},
                    cuda_runtime()},
          .failures = {other_version()}};
}

}  // namespace hone::eps
