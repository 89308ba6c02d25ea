// The simulated accelerator: a profiling CSV in QNN's format, written when the session is
// destroyed.

#include "measure/capture.h"
#include "measure/trace/files.h"

namespace hone::monitors {
namespace {

class SimMonitor : public OpenMonitor {
 public:
  explicit SimMonitor(const MonitorSettings& settings)
      : capture_(settings, "detailed", "HoneSim"),
        is_detail_(settings.level == TraceLevel::detail) {}

  MonitorOptions provider_options() const override { return capture_.provider_options(); }
  bool needs_closed_session() const override { return true; }
  Status before_open() override { return capture_.before_open(), done(); }
  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    OpTrace trace = capture_.read(window);
    if (is_detail_) {
      trace = fall_back_to(std::move(trace), "sim_has_no_detail",
                           "the simulated accelerator traces at the basic level only");
    }
    return MonitorFinding{.op_trace = std::move(trace)};
  }

 private:
  QnnCsvCapture capture_;
  bool is_detail_;
};

}  // namespace

Monitor sim() {
  return {.name = "sim",
          .summary = "Operators of the simulated accelerator",
          .traces = true,
          .open = open_monitor<SimMonitor>};
}

}  // namespace hone::monitors
