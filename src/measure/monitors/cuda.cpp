// CUDA: kernels and copies by CUPTI, where the toolkit's library is there, matched to nodes by when
// the host launched them. Where it is not, the traced session waits for every kernel
// (CUDA_LAUNCH_BLOCKING), so that the host's time is the kernel's and that of its launch. ONNX
// Runtime's official builds carry no profiler of the GPU; without either, 53 Convs of a ResNet-50
// took 20 us each, which is what queueing them takes.

#include <array>

#include "measure/capture.h"
#include "measure/trace/device.h"
#include "record/gpu_activity.h"

namespace hone::monitors {
namespace {

constexpr auto libraries = std::to_array<const char*>(
    {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
     "/usr/local/cuda/lib64/libcupti.so"});

class CudaMonitor : public OpenMonitor {
 public:
  explicit CudaMonitor(const MonitorSettings& settings)
      : capture_(settings),
        activity_(std::filesystem::absolute(settings.folder) / "gpu_activity.json") {
    if (!settings.find_library) return;
    for (const char* name : libraries) {
      const Result<Path> found = settings.find_library(name);
      if (!found) continue;
      cupti_ = found->string();
      return;
    }
  }

  MonitorOptions session_options() const override {
    MonitorOptions options = capture_.session_options();
    if (cupti_.empty()) return options;
    options[std::string(cupti_option)] = cupti_;
    options[std::string(gpu_activity_option)] = activity_.string();
    return options;
  }
  // A captured graph is one launch: it has no nodes.
  MonitorOptions provider_options() const override { return {{"enable_cuda_graph", "0"}}; }
  MonitorOptions environment() const override {
    if (!cupti_.empty()) return {};
    return {{"CUDA_LAUNCH_BLOCKING", "1"}};
  }
  bool needs_closed_session() const override { return true; }
  Status before_open() override {
    capture_.before_open();
    std::error_code unknown;
    std::filesystem::remove(activity_, unknown);
    return done();
  }

  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    OpTrace trace = capture_.read(window);
    if (!trace.has_operators()) return MonitorFinding{.op_trace = std::move(trace)};
    if (cupti_.empty()) {
      return MonitorFinding{
          .op_trace = blocked(std::move(trace), "there is no libcupti.so of the CUDA toolkit")};
    }
    trace.metadata.times = TraceTimes::host;
    const Result<GpuActivity> activity = read_activity();
    if (activity && activity->problem)
      return MonitorFinding{.op_trace = blocked(std::move(trace), *activity->problem)};
    if (!activity || activity->work.empty()) {
      trace.notes.push_back("CUPTI (" + cupti_ + ") gave no times of the GPU: " +
                            (activity ? "it recorded nothing" : activity.error().what));
      return MonitorFinding{.op_trace = std::move(trace)};
    }
    return MonitorFinding{.op_trace = matched(std::move(trace), *activity)};
  }

 private:
  static OpTrace blocked(OpTrace trace, const std::string& why) {
    trace.metadata.times = TraceTimes::blocking;
    trace.metadata.tracing_backend = "launch_blocking";
    trace.notes.push_back("no kernels by CUPTI: " + why +
                          "; the host waited for each of them instead (CUDA_LAUNCH_BLOCKING=1), "
                          "and its times hold the launches too");
    return trace;
  }

  Result<GpuActivity> read_activity() const {
    HONE_TRY(const std::string text, read_file(activity_));
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<GpuActivity>(document, gpu_activity_schema_version);
  }

  OpTrace matched(OpTrace trace, const GpuActivity& activity) const {
    std::vector<Blob> blobs;
    std::vector<std::string_view> texts;
    for (const Path& path : capture_.written()) {
      if (Result<Blob> blob = map_file(path)) blobs.push_back(std::move(*blob));
    }
    for (const Blob& blob : blobs) texts.push_back(blob.view());
    const OrtRuns profile = read_runs(texts, trace.metadata.warmup_excluded);
    trace.metadata.tracing_backend = "cupti";
    trace =
        with_device_times(std::move(trace), cuda_runs(profile, activity), "CUDAExecutionProvider");
    trace.artifacts["gpu_activity"] = activity_.string();
    const std::uint64_t lost = activity.dropped + activity.malformed;
    if (lost > 0) {
      trace.notes.push_back(std::to_string(lost) +
                            " records of CUPTI are missing: the device did more than is shown");
    }
    return trace;
  }

  OrtProfileCapture capture_;
  Path activity_;
  std::string cupti_;  // where it is; empty: there is none
};

}  // namespace

Monitor cuda() {
  return {.name = "cuda",
          .summary = "Kernels of CUDA by CUPTI, else with launches that wait",
          .traces = true,
          .open = open_monitor<CudaMonitor>};
}

}  // namespace hone::monitors
