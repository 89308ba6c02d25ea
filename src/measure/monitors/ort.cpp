// ONNX Runtime's own profiler: works for any EP, and inflates small operators; whoever shows the
// trace reconciles it with an untraced run first (measure/trace/reconcile.h).

#include "measure/capture.h"

namespace hone::monitors {
namespace {

class OrtMonitor : public OpenMonitor {
 public:
  explicit OrtMonitor(const MonitorSettings& settings)
      : capture_(settings), is_detail_(settings.level == TraceLevel::detail) {}

  MonitorOptions session_options() const override { return capture_.session_options(); }
  bool needs_closed_session() const override { return true; }
  Status before_open() override { return capture_.before_open(), done(); }
  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    MonitorFinding finding{.op_trace = capture_.read(window)};
    if (is_detail_ && finding.op_trace->has_operators()) {
      finding.op_trace->notes.emplace_back("ONNX Runtime's profiler has one level of detail only");
    }
    return finding;
  }

 private:
  OrtProfileCapture capture_;
  bool is_detail_;
};

}  // namespace

Monitor ort() {
  return {.name = "ort",
          .summary = "Operators by ONNX Runtime's own profiler, on any EP",
          .traces = true,
          .open = open_monitor<OrtMonitor>};
}

}  // namespace hone::monitors
