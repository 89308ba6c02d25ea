#include "kinds/shared_needs.h"

namespace hone::eps {

Ep cuda() {
  using enum NeedKind;
  return {.name = "cuda",
          .own_name = "CUDAExecutionProvider",
          .title = "CUDA",
          .summary = "NVIDIA's GPUs, kernel by kernel",
          .devices = {"gpu"},
          .origin =
              "Microsoft's GPU builds of ONNX Runtime hold libonnxruntime_providers_cuda.so: "
              "--ort PATH and --ep-library cuda=PATH",
          .needs = {nvidia_device(),
                    nvidia_driver(),
                    {beside_runtime,
                     "CUDA EP",
                     {"libonnxruntime_providers_cuda.so"},
                     "use a GPU build of ONNX Runtime: this one has no "
                     "libonnxruntime_providers_cuda.so beside it"},
                    cuda_runtime(),
                    {library,
                     "cuBLAS",
                     {"libcublas.so.13", "libcublas.so.12"},
                     "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
                    {library,
                     "cuFFT",
                     {"libcufft.so.12", "libcufft.so.11"},
                     "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
                    {library,
                     "cuDNN",
                     {"libcudnn.so.9"},
                     "install cuDNN 9 and put it on LD_LIBRARY_PATH"}},
          .options = {{"gpu", "cudnn_conv_algo_search", "HEURISTIC",
                       "the search for convolutions decides which of them run"},
                      {"gpu", "prefer_nhwc", "1", "tensor cores want channels last"},
                      {"gpu", "enable_cuda_graph", "1", "many small kernels cost their launch"}}};
}

}  // namespace hone::eps
