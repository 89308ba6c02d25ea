#pragma once
// Records what an NVIDIA GPU does in this process, through CUPTI, which is loaded for it.

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "record/gpu_activity.h"

namespace hone {

// One of them at a time, from before the first call of CUDA on.
class GpuRecorder {
 public:
  static Result<std::unique_ptr<GpuRecorder>> start(const std::string& library);
  GpuRecorder(const GpuRecorder&) = delete;
  GpuRecorder& operator=(const GpuRecorder&) = delete;
  ~GpuRecorder();

  // Ends it. `profile_start_ns` is what ONNX Runtime says of when its profile began, by the clock
  // of the system.
  GpuActivity finish(std::uint64_t profile_start_ns);

 private:
  GpuRecorder() = default;
  void stop();
  std::string library_;
  bool is_running_ = false;
};

}  // namespace hone
