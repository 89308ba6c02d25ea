// WebGPU through ONNX Runtime's profiler, into which its EP puts the GPU's own times, by timestamp
// queries (measure/trace/files.cpp).

#include "measure/capture.h"

namespace hone::monitors {
namespace {

class WebgpuMonitor : public OpenMonitor {
 public:
  explicit WebgpuMonitor(const MonitorSettings& settings) : capture_(settings) {}

  MonitorOptions session_options() const override { return capture_.session_options(); }
  // A captured graph has no nodes to time.
  MonitorOptions provider_options() const override { return {{"enableGraphCapture", "0"}}; }
  bool needs_closed_session() const override { return true; }
  Status before_open() override { return capture_.before_open(), done(); }

  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    OpTrace trace = capture_.read(window);
    if (trace.has_operators() && trace.metadata.times == TraceTimes::host) {
      trace.notes.emplace_back(
          "the profile has no times of the GPU: its driver offers no timestamp queries, or this "
          "ONNX Runtime does not write them");
    }
    return MonitorFinding{.op_trace = std::move(trace)};
  }

 private:
  OrtProfileCapture capture_;
};

}  // namespace

Monitor webgpu() {
  return {.name = "webgpu",
          .summary = "Operators of WebGPU by timestamps of the GPU",
          .traces = true,
          .open = open_monitor<WebgpuMonitor>};
}

}  // namespace hone::monitors
