#pragma once
// What the parts of a measurement share: its workers, their blocks, the monitors of a window.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/perf.h"
#include "measure/window.h"

namespace hone {

inline bool is_stopped(const PerfHooks& hooks) {
  return hooks.stop != nullptr && hooks.stop->load();
}
inline bool has_deadline(const PerfPlan& plan) { return plan.deadline > Nanoseconds{0}; }
inline double left_ms(const PerfPlan& plan) {
  return to_milliseconds(plan.deadline - steady_now());
}

// A worker that ends with the plan's deadline, and when it is stopped; `more` goes over the plan's
// environment.
Result<Worker> start_worker(const PerfPlan& plan, const PerfHooks& hooks,
                            const MonitorOptions& more = {});

// What the window adds to the plan. The profiler of ONNX Runtime is switched on by a call and not
// by an option, and what watches the GPU is ours.
RunPlan with_options(RunPlan plan, const WindowOptions& options);

std::vector<Nanoseconds> times_of(const WorkerBlock& block);

// The monitors of one window, each with what it needs.
class PerfMonitors {
 public:
  // `process` is whose time and memory is watched.
  PerfMonitors(const PerfPlan& plan, std::string process);

  MonitorSettings& settings() { return settings_; }
  Status add(const Monitor& monitor);
  void add(const Watcher& watcher) { window_.watchers.push_back(watcher); }
  // What a worker's environment needs for them.
  MonitorOptions environment() const;

  const WindowPlan& window() const { return window_; }
  const OpenMonitor* first() const { return monitors_.empty() ? nullptr : monitors_.front().get(); }

 private:
  MonitorSettings settings_;
  WindowPlan window_;
  std::vector<std::unique_ptr<OpenMonitor>> monitors_;
};

// Two plans, each in a process of its own, in turns, so that other work slows both: the medians of
// their blocks in milliseconds. Nothing where one fails, or it would take long; `run_ms` is about
// what a run takes.
struct Turns {
  std::vector<double> first_ms;
  std::vector<double> second_ms;
};
std::optional<Turns> take_turns(const PerfPlan& plan, const PerfHooks& hooks, const RunPlan& first,
                                const RunPlan& second, double run_ms);

// Operators, from a session of its own, and reconciled with the untraced median. A trace that
// failed says why.
OpTrace trace_operators(const PerfPlan& plan, const PerfHooks& hooks, const PerfLatency& untraced);

}  // namespace hone
