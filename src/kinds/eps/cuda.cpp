#include "kinds/shared_needs.h"

namespace hone::eps {
namespace {

constexpr EpSetting graph{"enable_cuda_graph", "1"};
constexpr EpSetting channels_last{"prefer_nhwc", "1"};

// By what ResNet-50 took on an H200 at batch 1, of the time in float: CUDA graph 0.63, fp16 with a
// CUDA graph 0.54, fp16 with channels last 0.86, fp16 alone more than 1. TF32 is no try: ONNX
// Runtime has it on.
std::vector<EpTry> tries() {
  return {
      {.device = "gpu",
       .options = {graph},
       .reason = "many small kernels cost their launch, and a graph of them is launched at once",
       .gain = 0.35,
       .chance = 0.7},
      {.device = "gpu",
       .options = {graph},
       .precision = "fp16",
       .reason = "half the bytes for tensor cores, and no launches that eat up what that gains",
       .gain = 0.45,
       .chance = 0.7,
       .cost = 1.5},
      {.device = "gpu",
       .options = {graph, channels_last},
       .precision = "fp16",
       .acts_on = "Conv",
       .reason = "tensor cores want half precision with channels last, and one launch for all",
       .gain = 0.5,
       .chance = 0.5,
       .cost = 1.5},
      {.device = "gpu",
       .options = {graph, channels_last},
       .acts_on = "Conv",
       .reason = "tensor cores want channels last, and one launch for all",
       .gain = 0.4,
       .chance = 0.4},
      {.device = "gpu",
       .precision = "fp16",
       .reason = "half the bytes for tensor cores",
       .gain = 0.25,
       .chance = 0.4,
       .cost = 1.5},
      {.device = "gpu",
       .options = {channels_last},
       .acts_on = "Conv",
       .reason = "tensor cores want channels last",
       .gain = 0.2,
       .chance = 0.3},
      {.device = "gpu",
       .options = {channels_last},
       .precision = "fp16",
       .acts_on = "Conv",
       .reason = "tensor cores want half precision with channels last",
       .gain = 0.2,
       .chance = 0.4,
       .cost = 1.5},
      {.device = "gpu",
       .options = {{"cudnn_conv_algo_search", "HEURISTIC"}},
       .acts_on = "Conv",
       .reason = "the search for convolutions decides which of them run",
       .gain = 0.05,
       .chance = 0.2},
      {.device = "gpu",
       .precision = "int4",
       .acts_on = "MatMul",
       .reason = "blocks of 4 bits are unpacked on the way: memory is spared, seldom time",
       .gain = 0.05,
       .chance = 0.05,
       .cost = 2}};
}

}  // namespace

Ep cuda() {
  using enum NeedKind;
  return {
      .name = "cuda",
      .own_name = "CUDAExecutionProvider",
      .title = "CUDA",
      .summary = "NVIDIA's GPUs, kernel by kernel",
      .devices = {"gpu"},
      .places = {{"gpu", 1}},
      .origin =
          "Microsoft's GPU builds of ONNX Runtime hold libonnxruntime_providers_cuda.so beside it: "
          "--ort PATH",
      .needs =
          {nvidia_device(),
           nvidia_driver(),
           {plugin,
            "CUDA EP",
            {"libonnxruntime_providers_cuda.so"},
            "use a GPU build of ONNX Runtime (--ort PATH), which has it beside it, or put "
            "the folder of one of the same version into HONE_EP_PATH"},
           cuda_runtime(),
           {library,
            "cuBLAS",
            {"libcublas.so.13", "libcublas.so.12"},
            "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
           {library,
            "cuFFT",
            {"libcufft.so.12", "libcufft.so.11"},
            "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
           {library, "cuDNN", {"libcudnn.so.9"}, "install cuDNN 9 and put it on LD_LIBRARY_PATH"}},
      .failures = {other_version(),
                   {"libcudnn", "cuDNN", "the EP was built for cuDNN, which is not found",
                    "install cuDNN 9 for the CUDA that is here and put it on LD_LIBRARY_PATH"},
                   {"no CUDA-capable device is detected", "GPU",
                    "CUDA is installed and sees no GPU",
                    "nvidia-smi must list it; look at CUDA_VISIBLE_DEVICES, and in a container "
                    "pass the GPU: --gpus all"},
                   {"driver version is insufficient", "NVIDIA driver",
                    "the driver is older than the CUDA runtime that the EP uses",
                    "install a newer driver, or an ONNX Runtime for an older CUDA"}},
      .tries = tries(),
      .graph_option = "enable_cuda_graph",
      .monitors = {"cuda"}};
}

}  // namespace hone::eps
