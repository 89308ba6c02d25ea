// OpenVINO through ONNX Runtime's profiler: its EP hands the kernels inside a compiled graph to it
// as child events (plugin EPs since ONNX Runtime 1.25). An older one shows one node per compiled
// graph, and the trace says so.

#include <algorithm>

#include "measure/capture.h"

namespace hone::monitors {
namespace {

class OpenvinoMonitor : public OpenMonitor {
 public:
  explicit OpenvinoMonitor(const MonitorSettings& settings) : capture_(settings) {}

  MonitorOptions session_options() const override { return capture_.session_options(); }
  bool needs_closed_session() const override { return true; }
  Status before_open() override { return capture_.before_open(), done(); }
  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    OpTrace trace = capture_.read(window);
    const bool has_kernels = std::ranges::any_of(
        trace.operators, [](const TraceOperator& op) { return op.parent.has_value(); });
    if (trace.has_operators() && !has_kernels) {
      trace.notes.emplace_back(
          "the EP shows no kernels: each compiled graph is one operator (newer OpenVINO EPs and "
          "ONNX Runtime 1.25 tell more)");
    }
    return MonitorFinding{.op_trace = std::move(trace)};
  }

 private:
  OrtProfileCapture capture_;
};

}  // namespace

Monitor openvino() {
  return {.name = "openvino",
          .summary = "OpenVINO's kernels, through ONNX Runtime's profiler",
          .traces = true,
          .open = open_monitor<OpenvinoMonitor>};
}

}  // namespace hone::monitors
