// The machine while the model runs: processor, memory, clocks, temperature, accelerators; read on a
// thread of its own.

#include <memory>
#include <optional>
#include <utility>

#include "base/machine.h"
#include "measure/hw/recorder.h"
#include "measure/monitor.h"
#include "measure/sampler.h"

namespace hone::monitors {
namespace {

class HwMonitor : public OpenMonitor {
 public:
  explicit HwMonitor(const MonitorSettings& settings)
      : interval_(settings.interval),
        cpus_(read_machine(settings.hw.roots).cpu.online),
        recorder_(open_probes(settings.hw)) {}

  Status before_open() override {
    sampler_.emplace(interval_, [this] { recorder_.sample(steady_now()); });
    return done();
  }
  // The last sample is taken while the session is still there.
  Status before_close() override {
    sampler_->stop();
    return done();
  }
  Result<MonitorFinding> parse(const ClosedWindow& window) override {
    HwMonitorRecord record =
        make_hw_record(recorder_.summarize(window.body_start, window.body_end), cpus_);
    record.interval_ms = static_cast<double>(interval_.count());
    record.duration_ms = to_milliseconds(window.body_end - window.body_start);
    return MonitorFinding{.hw_monitor = std::move(record)};
  }
  std::vector<HwSeries> live(Nanoseconds since) const override {
    return recorder_.readings_since(since);
  }

 private:
  std::chrono::milliseconds interval_;
  int cpus_;
  HwRecorder recorder_;
  std::optional<Sampler> sampler_;
};

}  // namespace

Monitor hw() {
  return {.name = "hw",
          .summary = "Processor, memory, clocks and accelerators of the machine",
          .traces = false,
          .open = open_monitor<HwMonitor>};
}

}  // namespace hone::monitors
