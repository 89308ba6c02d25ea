// The traced session of a measurement.

#include <algorithm>

#include "base/utc.h"
#include "measure/perf_parts.h"
#include "measure/trace/options.h"
#include "measure/trace/reconcile.h"

namespace hone {
namespace {

// Enough inferences for a median per operator; a profile of a large model has thousands of events
// in each.
constexpr std::int64_t most_traced_iterations = 20;
constexpr std::int64_t traced_warmup = 3;

class TracedRun {
 public:
  TracedRun(const PerfPlan& plan, const PerfHooks& hooks, const PerfLatency& untraced)
      : plan_(plan), hooks_(hooks), untraced_(untraced) {}

  Result<OpTrace> run() {
    PerfMonitors monitors(plan_, "self");
    monitors.settings().find_library = [this](const std::string& name) { return find(name); };
    HONE_TRY_DO(monitors.add(tracer_for(monitors.window().ep)));
    HONE_TRY(Worker worker, start_worker(plan_, hooks_, monitors.environment()));
    WindowSteps steps;
    steps.open = [&](const WindowOptions& options) -> Status {
      HONE_TRY_DO(worker.open(with_options(plan_.run, options)));
      return done();
    };
    steps.body = [&] { return run_block(worker); };
    Status closed = done();
    steps.close = [&] { closed = worker.close(); };
    WindowGate gate;
    HONE_TRY(WindowOutcome outcome, run_window(gate, monitors.window(), steps));
    if (!outcome.body) return fail(std::move(outcome.body).error());
    if (!closed) return fail(std::move(closed).error());
    HONE_TRY(MonitorFinding finding, std::move(outcome.watchers.front().finding));
    if (!finding.op_trace) {
      return fail(Fault::runtime, "monitor '" + outcome.watchers.front().name + "' traced nothing");
    }
    for (std::string& note : outcome.notes) finding.op_trace->notes.push_back(std::move(note));
    return std::move(*finding.op_trace);
  }

 private:
  // In a worker that is thrown away: what loads a driver may crash.
  Result<Path> find(const std::string& name) const {
    HONE_TRY(Worker worker, start_worker(plan_, hooks_));
    return worker.find_library(name);
  }

  // As many runs as a trace takes, or as there is time for.
  BlockPlan short_block() const {
    const bool is_by_time = plan_.loop.duration > Nanoseconds{0};
    const auto asked = static_cast<std::int64_t>(plan_.loop.iterations);
    BlockPlan block{.iterations = is_by_time
                                      ? most_traced_iterations
                                      : std::clamp<std::int64_t>(asked, 1, most_traced_iterations),
                    .warmup = traced_warmup};
    if (!has_deadline(plan_)) return block;
    // Half of the time is for what a tracer adds, and for reading what it wrote.
    const double run_ms = std::max(untraced_.mean.value_or(0), 1e-3);
    const auto fitting =
        static_cast<std::int64_t>(std::clamp(left_ms(plan_) / 2 / run_ms, 0.0, 1e6));
    block.warmup = std::min(fitting / 4, block.warmup);
    block.iterations = std::clamp<std::int64_t>(fitting - block.warmup, 1, block.iterations);
    return block;
  }

  Result<RunCounts> run_block(Worker& worker) const {
    const BlockPlan block = short_block();
    HONE_TRY_DO(worker.run(block));
    return RunCounts{.warmup = 1 + block.warmup, .measured = block.iterations};
  }

  const PerfPlan& plan_;
  const PerfHooks& hooks_;
  const PerfLatency& untraced_;
};

}  // namespace

OpTrace trace_operators(const PerfPlan& plan, const PerfHooks& hooks, const PerfLatency& untraced) {
  // Operators are those of one session alone.
  PerfPlan alone = plan;
  alone.run.streams = 1;
  Result<OpTrace> trace = TracedRun(alone, hooks, untraced).run();
  if (!trace) {
    const Error& error = trace.error();
    return no_trace({}, TraceStatus::no_data,
                    error.what + (error.cause.empty() ? "" : ": " + error.cause));
  }
  trace->metadata.timestamp = utc_now();
  if (!untraced.p50 || plan.run.streams > 1) return std::move(*trace);
  return reconcile(std::move(*trace), {.median_us = *untraced.p50 * 1000});
}

}  // namespace hone
