#pragma once
// The device's own times in the place of the host's: an EP that works while the host goes on is
// timed by ONNX Runtime's profiler where it queues, and that is no time of an operator.

#include <span>
#include <string>
#include <vector>

#include "measure/trace/ort_runs.h"
#include "record/gpu_activity.h"
#include "record/trace.h"

namespace hone {

// One thing the device did, and for which node.
struct DeviceWork {
  GpuWorkKind kind = GpuWorkKind::kernel;
  std::string name{};  // of the kernel
  std::string node{};  // as the profile calls it; empty: for none that is known
  double start_us = 0;
  double duration_us = 0;
  double bytes = 0;
};

// All of one inference.
using DeviceRun = std::vector<DeviceWork>;

// The dispatches that ONNX Runtime's WebGPU EP puts into a profile ("node&type&program", category
// Api), by the run whose window they began in. As many runs as the profiles have, warm-up included;
// empty where there are no dispatches, or they are not on the profile's clock.
std::vector<DeviceRun> webgpu_runs(std::span<const std::string_view> profiles);

// What CUPTI recorded, by the run and the node in whose time it was launched. What was launched in
// no run is left out.
std::vector<DeviceRun> cuda_runs(const OrtRuns& profile, const GpuActivity& activity);

// The trace of a profile with the times of operators of `provider` by the device, and what the
// device did. `runs` are those the trace is of, without warm-up; where their number is not the
// trace's it stays as it is, and says so.
OpTrace with_device_times(OpTrace trace, std::span<const DeviceRun> runs,
                          const std::string& provider);

}  // namespace hone
