#include "flow/perf_panel.h"

#include <algorithm>

namespace hone {
namespace {

PanelPhase panel_phase(PerfPhase phase) {
  switch (phase) {
    case PerfPhase::loading:
    case PerfPhase::cooling_down:
      return PanelPhase::loading;
    case PerfPhase::warming_up:
      return PanelPhase::warming_up;
    case PerfPhase::measuring:
      return PanelPhase::measuring;
    case PerfPhase::tracing:
    case PerfPhase::finished:
      return PanelPhase::finished;
  }
  return PanelPhase::finished;
}

// What is drawn: how busy accelerators are, and the CPUs by all that runs on them.
bool is_utilisation(const HwChannel& channel) {
  return channel.name == "cpu/machine" || channel.name.ends_with("/utilization");
}

std::optional<double> in_megabytes(std::optional<std::uint64_t> bytes) {
  if (!bytes) return std::nullopt;
  return static_cast<double>(*bytes) / (1 << 20);
}

PanelSeries series_of(const HwSeries& readings, Nanoseconds start) {
  PanelSeries series{.label = readings.channel.name.substr(0, readings.channel.name.find('/'))};
  for (const HwReading& reading : readings.readings) {
    series.points.push_back({to_milliseconds(reading.time - start) / 1000, reading.value});
  }
  return series;
}

void add_latency(const LoopMeter& meter, PanelState& state) {
  if (const std::int64_t last = meter.last_ns; last > 0) {
    state.last_ms = to_milliseconds(Nanoseconds(last));
  }
  const std::uint64_t iterations = meter.iterations;
  const std::int64_t measured = meter.measured_ns;
  if (iterations == 0 || measured <= 0) return;
  state.mean_ms = to_milliseconds(Nanoseconds(measured)) / static_cast<double>(iterations);
  state.batches_per_second = 1000 / *state.mean_ms;
}

}  // namespace

PanelState PerfPanel::look() {
  PanelState state{.title = title_};
  state.now_seconds = to_milliseconds(steady_now() - start_) / 1000;
  state.phase = panel_phase(live_.phase);
  const bool is_warming_up = state.phase == PanelPhase::warming_up;
  state.done = is_warming_up ? live_.meter.warmup.load() : live_.meter.iterations.load();
  state.total = is_warming_up ? loop_.warmup : loop_.iterations;
  if (loop_.duration > Nanoseconds{0}) {
    state.duration_seconds = to_milliseconds(loop_.duration) / 1000;
    state.measured_seconds = to_milliseconds(Nanoseconds(live_.meter.measured_ns)) / 1000;
    if (!is_warming_up) state.total = 0;
  }
  add_latency(live_.meter, state);
  const PanelStyle style;
  const auto window = std::chrono::duration<double>(style.window_seconds);
  const Nanoseconds since = steady_now() - std::chrono::duration_cast<Nanoseconds>(window);
  for (const HwSeries& readings : live_.readings(since)) {
    if (is_utilisation(readings.channel)) state.series.push_back(series_of(readings, start_));
  }
  // Accelerators first.
  std::ranges::stable_partition(state.series,
                                [](const PanelSeries& series) { return series.label != "cpu"; });
  state.memory_mb = in_megabytes(live_.memory_bytes());
  state.peak_memory_mb = in_megabytes(live_.most_memory_bytes());
  if (state.series.empty()) state.series = last_.series;
  if (!state.memory_mb) state.memory_mb = last_.memory_mb;
  if (!state.peak_memory_mb) state.peak_memory_mb = last_.peak_memory_mb;
  last_ = state;
  return state;
}

}  // namespace hone
