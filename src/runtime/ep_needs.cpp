#include "runtime/ep_needs.h"

namespace hone {
namespace {

using enum NeedKind;

const EpNeed nvidia_device = {
    device,
    "NVIDIA device",
    {"/dev/nvidiactl"},
    "load the driver (nvidia-smi must work); in a container, pass the GPU: --gpus all"};
const EpNeed nvidia_driver = {
    library, "NVIDIA driver", {"libcuda.so.1"}, "install NVIDIA's driver (it brings libcuda.so.1)"};
const EpNeed cuda_runtime = {library,
                             "CUDA runtime",
                             {"libcudart.so.13", "libcudart.so.12"},
                             "install the CUDA toolkit of the major version that the EP was built "
                             "for, and put its lib folder on LD_LIBRARY_PATH"};
const EpNeed cudnn = {
    library, "cuDNN", {"libcudnn.so.9"}, "install cuDNN 9 and put it on LD_LIBRARY_PATH"};
const EpNeed gpu_node = {device,
                         "GPU",
                         {"/dev/dri/renderD*"},
                         "load the GPU's driver, and join its group (sudo usermod -aG render "
                         "$USER); in a container, pass --device /dev/dri"};

EpNeed only_for(EpNeed need, std::string_view what) {
  need.only_for = what;
  return need;
}

EpNeeds webgpu() {
  return {"webgpu",
          "onnxruntime-node (npm) has it built in; as a plugin it is the package "
          "onnxruntime-ep-webgpu: --ep-library webgpu=PATH",
          {{library,
            "Vulkan loader",
            {"libvulkan.so.1"},
            "install it (Debian: apt install libvulkan1)"},
           {file,
            "Vulkan driver",
            {"/usr/share/vulkan/icd.d/*.json", "/usr/local/share/vulkan/icd.d/*.json",
             "/etc/vulkan/icd.d/*.json"},
            "install the GPU's Vulkan driver (Debian: mesa-vulkan-drivers, or NVIDIA's), or name "
            "its manifest in VK_ICD_FILENAMES",
            {},
            {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}},
           only_for(gpu_node, "real GPUs, not for Vulkan in software"),
           {variable,
            "session folder",
            {"XDG_RUNTIME_DIR"},
            "set XDG_RUNTIME_DIR to a folder of yours",
            "Vulkan in software (SwiftShader)"}}};
}

EpNeeds qnn() {
  return {"qnn",
          "the package onnxruntime-qnn, 2.0 or newer, holds it as a plugin: --ep-library qnn=PATH",
          {{library,
            "QNN HTP backend",
            {"libQnnHtp.so"},
            "it comes with onnxruntime-qnn and with Qualcomm's QAIRT SDK; put its folder on "
            "LD_LIBRARY_PATH or name it with --ep-options backend_path=PATH",
            "a plugin that does not bring it"},
           {library,
            "FastRPC",
            {"libcdsprpc.so", "libcdsprpc.so.1"},
            "install the board's FastRPC library (Debian: libfastrpc1)",
            "the NPU"},
           {device,
            "NPU",
            {"/dev/fastrpc-cdsp*", "/dev/adsprpc-smd", "/dev/cdsprpc-smd"},
            "the kernel's fastrpc driver makes it; it needs the DSP's firmware and a udev rule "
            "that lets you open it (Debian: fastrpc-support)",
            "the NPU"},
           {variable,
            "DSP libraries",
            {"ADSP_LIBRARY_PATH"},
            "set it to the folder with libQnnHtpV*Skel.so of your DSP where the system does not",
            "boards whose image does not place them"},
           {variable,
            "QNN SDK",
            {"QNN_SDK_ROOT"},
            "set it to the folder of Qualcomm's QAIRT SDK",
            "detailed op traces"}}};
}

EpNeeds openvino() {
  return {"openvino",
          "the package onnxruntime-ep-openvino holds it as a plugin, with OpenVINO: "
          "--ep-library openvino=PATH",
          {only_for(gpu_node, "the GPU"),
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
            "the NPU"}}};
}

EpNeeds vitisai() {
  return {"vitisai",
          "AMD's Ryzen AI software brings an ONNX Runtime with it: --ort PATH",
          {{device,
            "NPU",
            {"/dev/accel/accel*"},
            "load the kernel's amdxdna driver, and join its group (sudo usermod -aG render $USER)"},
           {library,
            "XRT",
            {"libxrt_coreutil.so.2"},
            "install AMD's XRT and the XDNA plugin, then source /opt/xilinx/xrt/setup.sh"},
           {variable,
            "XRT folder",
            {"XILINX_XRT"},
            "source /opt/xilinx/xrt/setup.sh",
            "an XRT that is not in the system's library folders"}}};
}

EpNeeds cuda() {
  return {"cuda",
          "Microsoft's GPU builds of ONNX Runtime hold libonnxruntime_providers_cuda.so: "
          "--ort PATH and --ep-library cuda=PATH",
          {nvidia_device,
           nvidia_driver,
           {beside_runtime,
            "CUDA EP",
            {"libonnxruntime_providers_cuda.so"},
            "use a GPU build of ONNX Runtime: this one has no libonnxruntime_providers_cuda.so "
            "beside it"},
           cuda_runtime,
           {library,
            "cuBLAS",
            {"libcublas.so.13", "libcublas.so.12"},
            "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
           {library,
            "cuFFT",
            {"libcufft.so.12", "libcufft.so.11"},
            "it is part of the CUDA toolkit; put its lib folder on LD_LIBRARY_PATH"},
           cudnn}};
}

EpNeeds tensorrt() {
  return {"tensorrt",
          "Microsoft's GPU builds of ONNX Runtime hold libonnxruntime_providers_tensorrt.so: "
          "--ort PATH and --ep-library tensorrt=PATH",
          {nvidia_device,
           nvidia_driver,
           {beside_runtime,
            "TensorRT EP",
            {"libonnxruntime_providers_tensorrt.so"},
            "use a GPU build of ONNX Runtime: this one has no libonnxruntime_providers_tensorrt.so "
            "beside it"},
           {library,
            "TensorRT",
            {"libnvinfer.so.10"},
            "install TensorRT 10 and put its lib folder on LD_LIBRARY_PATH"},
           {library,
            "TensorRT's ONNX parser",
            {"libnvonnxparser.so.10"},
            "install TensorRT 10 and put its lib folder on LD_LIBRARY_PATH"},
           cuda_runtime}};
}

EpNeeds nvtensorrtrtx() {
  return {"nvtensorrtrtx",
          "the package onnxruntime-ep-nv-tensorrt-rtx holds it as a plugin, with TensorRT-RTX: "
          "--ep-library nvtensorrtrtx=PATH",
          {nvidia_device,
           nvidia_driver,
           {library,
            "TensorRT-RTX",
            {"libtensorrt_rtx.so.1", "libtensorrt_rtx.so"},
            "put TensorRT-RTX's lib folder on LD_LIBRARY_PATH",
            "a plugin that does not bring it"}}};
}

EpNeeds migraphx() {
  return {"migraphx",
          "AMD's builds of ONNX Runtime (onnxruntime-migraphx) hold it: --ort PATH",
          {{device,
            "ROCm device",
            {"/dev/kfd"},
            "load the amdgpu driver, and join its group (sudo usermod -aG render $USER); in a "
            "container, pass --device /dev/kfd --device /dev/dri"},
           gpu_node,
           {library,
            "MIGraphX",
            {"libmigraphx_c.so.3"},
            "install ROCm and MIGraphX, and put /opt/rocm/lib on LD_LIBRARY_PATH"},
           {beside_runtime,
            "MIGraphX EP",
            {"libonnxruntime_providers_migraphx.so"},
            "use AMD's build of ONNX Runtime: this one has no libonnxruntime_providers_migraphx.so "
            "beside it"}}};
}

const std::vector<EpNeeds>& table() {
  static const std::vector<EpNeeds> needs = {
      {"cpu", "every ONNX Runtime has it", {}},
      webgpu(),
      qnn(),
      openvino(),
      vitisai(),
      {"dml", "DirectML is a part of Windows: there is none on Linux", {}},
      cuda(),
      tensorrt(),
      nvtensorrtrtx(),
      migraphx(),
      {"sim",
       "libhone_ep.so comes with hone and is found beside it (bin/../lib/hone); elsewhere: "
       "--ep-library hone.virtual=PATH",
       {}},
  };
  return needs;
}

}  // namespace

const EpNeeds* needs_of(std::string_view short_name) {
  for (const EpNeeds& needs : table()) {
    if (needs.ep == short_name) return &needs;
  }
  return nullptr;
}

}  // namespace hone
