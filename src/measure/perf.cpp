#include "measure/perf.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/counted.h"
#include "base/load_meter.h"
#include "base/text.h"
#include "measure/capture.h"
#include "measure/denormals.h"
#include "measure/robust.h"
#include "measure/trace/reconcile.h"
#include "measure/window.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

// Enough inferences for a median per operator; a profile of a large model has thousands of events
// in each.
constexpr std::int64_t most_traced_iterations = 20;
constexpr std::int64_t traced_warmup = 3;
// Of one block of a trial that takes turns with another.
constexpr Nanoseconds longest_turn = std::chrono::milliseconds(50);
constexpr std::string_view denormal_as_zero_option = "session.set_denormal_as_zero";
// Of the time there is, where there is an end to it and a trace is to follow.
constexpr double measuring_share = 0.6;

// What the window adds to the plan. The profiler of ONNX Runtime is switched on by a call and not
// by an option.
RunPlan with_options(RunPlan plan, const WindowOptions& options) {
  plan.session_options = options.session;
  plan.target.options = options.provider;
  if (auto profile = plan.session_options.extract(std::string(ort_profile_option))) {
    plan.profile_prefix = profile.mapped();
  }
  return plan;
}

// "6.1 s"
std::string seconds_text(double time_ms) {
  const auto tenths = std::lround(time_ms / 100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::vector<Nanoseconds> times_of(const WorkerBlock& block) {
  std::vector<Nanoseconds> times;
  times.reserve(block.samples_ns.size());
  for (const std::uint64_t time : block.samples_ns) {
    times.emplace_back(static_cast<std::int64_t>(time));
  }
  return times;
}

RunBlock blocks_of(Worker& worker) {
  return [&worker](std::uint64_t iterations, Nanoseconds time) -> Result<std::vector<Nanoseconds>> {
    const BlockPlan block{.iterations = static_cast<std::int64_t>(iterations), .time = time};
    HONE_TRY(const WorkerBlock answer, worker.run(block));
    return times_of(answer);
  };
}

// The monitors of one window, each with what it needs.
class Watch {
 public:
  Watch(const PerfPlan& plan, const Worker& worker) {
    settings_.ep = ep_short_name(plan.run.target.ep);
    settings_.model = plan.run.model;
    settings_.folder = plan.trace_folder;
    std::error_code unknown;
    settings_.work_folder = std::filesystem::current_path(unknown);
    settings_.level = plan.tracing.value_or(TraceLevel::basic);
    settings_.node_types = plan.node_types;
    settings_.qnn_sdk = plan.qnn_sdk;
    settings_.hw.process = std::to_string(worker.process_id());
    window_.options = {plan.run.session_options, plan.run.target.options};
    window_.ep = settings_.ep;
  }

  Status add(const Monitor& monitor) {
    HONE_TRY(std::unique_ptr<OpenMonitor> opened, monitor.open(settings_));
    window_.watchers.push_back({std::string(monitor.name), "", opened.get()});
    monitors_.push_back(std::move(opened));
    return done();
  }

  const WindowPlan& window() const { return window_; }
  const OpenMonitor* first() const { return monitors_.empty() ? nullptr : monitors_.front().get(); }

 private:
  MonitorSettings settings_;
  WindowPlan window_;
  std::vector<std::unique_ptr<OpenMonitor>> monitors_;
};

// The hardware where it is to be watched, and what proves that this EP's device worked.
Status add_untraced_monitors(const PerfPlan& plan, Watch& watch) {
  if (plan.watches_hardware) HONE_TRY_DO(watch.add(monitors::hw()));
  for (const Monitor& monitor : monitors_of(plan.run.target.ep)) {
    if (!monitor.traces) HONE_TRY_DO(watch.add(monitor));
  }
  return done();
}

// One measurement: what it has found so far is in `result_`.
class Measurement {
 public:
  Measurement(const PerfPlan& plan, const PerfHooks& hooks)
      : plan_(plan), hooks_(hooks), live_(hooks.live != nullptr ? *hooks.live : unwatched_) {}

  Result<PerfResult> run() {
    if (Status measured = measure(); !measured)
      return fail(with_advice(std::move(measured).error()));
    result_.load = to_record(load_.so_far());
    if (plan_.tries_denormals_as_zero && !is_stopped()) try_denormals_as_zero();
    if (plan_.tracing && !is_stopped()) result_.op_trace = trace();
    live_.phase = PerfPhase::finished;
    return std::move(result_);
  }

 private:
  bool is_stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  bool has_deadline() const { return plan_.deadline > Nanoseconds{0}; }

  // What the time did not suffice for, by what is known of it.
  Error with_advice(Error error) const {
    const bool is_late = has_deadline() && steady_now() >= plan_.deadline;
    if (error.fault != Fault::timeout || !is_late) return error;
    const PerfColdStart& cold = result_.cold_start;
    const std::string known =
        cold.first_inference_ms
            ? "opening took " +
                  seconds_text(cold.runtime_ms.value_or(0) + cold.load_ms.value_or(0)) +
                  " and the first run " + seconds_text(*cold.first_inference_ms) + ": "
            : "";
    error.hint = known + "give it more time (--max-time)";
    return error;
  }

  Result<Worker> start_worker() const {
    WorkerLimits limits = plan_.limits;
    limits.stop = hooks_.stop;
    if (has_deadline()) limits.until = std::chrono::steady_clock::time_point(plan_.deadline);
    return Worker::start(plan_.program, limits, plan_.environment);
  }

  Nanoseconds end_of_measuring() const {
    if (!has_deadline() || !plan_.tracing) return plan_.deadline;
    const Nanoseconds now = steady_now();
    const auto left = static_cast<double>((plan_.deadline - now).count());
    return now + Nanoseconds(static_cast<std::int64_t>(left * measuring_share));
  }

  Status measure() {
    HONE_TRY(Worker worker, start_worker());
    MemoryWatch memory(std::to_string(worker.process_id()));
    Watch watch(plan_, worker);
    HONE_TRY_DO(add_untraced_monitors(plan_, watch));
    live_.show(watch.first(), &memory);
    WindowSteps steps;
    steps.open = [&](const WindowOptions& options) -> Status {
      HONE_TRY(const WorkerOpened opened, worker.open(with_options(plan_.run, options)));
      memory.session_is_open(opened.memory_before_bytes, opened.memory_loaded_bytes);
      note_opened(opened);
      return hooks_.accept ? hooks_.accept(opened) : done();
    };
    steps.body = [&]() -> Result<RunCounts> {
      HONE_TRY(const RunCounts counts, measure_runs(worker));
      memory.runs_are_finished();
      result_.memory = memory.finish();
      return counts;
    };
    steps.close = [&] {
      if (!worker.is_gone()) note_failure(worker.close());
    };
    auto outcome = run_window(gate_, watch.window(), steps);
    live_.hide();
    if (!outcome) return fail(std::move(outcome).error());
    if (!outcome->body) return fail(std::move(outcome->body).error());
    take_findings(std::move(*outcome));
    return done();
  }

  void note_opened(const WorkerOpened& opened) {
    PerfBenchmarkInfo& info = result_.benchmark_info;
    info.runtime_version = opened.ort_version;
    info.device = opened.device;
    info.effective_batch_size = opened.batch;
    result_.placement = opened.placement;
    result_.cold_start.runtime_ms = opened.runtime_ms;
    result_.cold_start.load_ms = opened.load_ms;
    result_.cold_start.first_inference_ms = opened.first_inference_ms;
    result_.notes = opened.assumptions;
    for (const std::string& note : opened.wrong_outputs) result_.notes.push_back(note);
  }

  Result<RunCounts> measure_runs(Worker& worker) {
    live_.phase = plan_.loop.warmup > 0 ? PerfPhase::warming_up : PerfPhase::measuring;
    const RunBlock run = blocks_of(worker);
    const RunBlock watched = [&](std::uint64_t iterations, Nanoseconds time) {
      if (live_.meter.is_warm) live_.phase = PerfPhase::measuring;
      return run(iterations, time);
    };
    HONE_TRY(const LatencyRun latency,
             measure_latency(
                 plan_.loop, watched,
                 {.stop = hooks_.stop, .meter = &live_.meter, .deadline = end_of_measuring()}));
    result_.latency_ms = summarize_latency(latency);
    result_.throughput = summarize_throughput(latency, result_.benchmark_info.effective_batch_size);
    result_.steady_state = summarize_steady_state(latency);
    result_.raw_samples_ms = in_milliseconds(latency.measured());
    result_.warmup_samples_ms = in_milliseconds(latency.warmup());
    result_.benchmark_info.iterations = latency.measured().size();
    result_.benchmark_info.warmup = latency.warmup().size();
    note_end(latency);
    // Opening has run it once.
    return RunCounts{.warmup = 1 + static_cast<std::int64_t>(latency.warmup().size()),
                     .measured = static_cast<std::int64_t>(latency.measured().size())};
  }

  void note_end(const LatencyRun& latency) {
    const auto count = [&] {
      const bool is_by_count = plan_.loop.duration <= Nanoseconds{0};
      return (is_by_count ? format_count(latency.measured().size()) + " of " +
                                counted(plan_.loop.iterations, "iteration")
                          : counted(latency.measured().size(), "iteration"));
    };
    if (latency.end == LoopEnd::stopped) result_.notes.push_back("stopped after " + count());
    if (latency.end == LoopEnd::out_of_time)
      result_.notes.push_back("the time was over after " + count());
    if (latency.end == LoopEnd::out_of_room)
      result_.notes.emplace_back("ended early: there is no room for more samples");
  }

  void note_failure(const Status& closed) {
    if (!closed) {
      result_.notes.push_back("the session did not close: " + closed.error().what);
    }
  }

  void take_findings(WindowOutcome outcome) {
    for (std::string& note : outcome.notes) result_.notes.push_back(std::move(note));
    for (WatcherOutcome& watcher : outcome.watchers) {
      if (!watcher.finding) {
        const Error& error = watcher.finding.error();
        result_.notes.push_back(error.what + (error.cause.empty() ? "" : ": " + error.cause));
        continue;
      }
      MonitorFinding& finding = *watcher.finding;
      if (finding.hw_monitor) result_.hw_monitor = std::move(finding.hw_monitor);
      if (finding.ep_proof) result_.ep_proof = std::move(finding.ep_proof);
    }
  }

  // An aside: where it fails, or would take long, there is no number, and nothing else is missing.
  // Both run in turns, each in a process of its own, so that other work slows both.
  void try_denormals_as_zero() {
    constexpr double longest_ms = 10'000;
    const BlockPlan block{.iterations = most_traced_iterations, .warmup = 1, .time = longest_turn};
    const double run_ms = result_.latency_ms.mean.value_or(longest_ms);
    const double turn_ms = run_ms + std::max(run_ms, to_milliseconds(block.time));
    const double all_ms = 2 * (denormal_turns * turn_ms + run_ms);
    if (all_ms > longest_ms || (has_deadline() && all_ms > left_ms() / 2)) return;
    RunPlan flushed = plan_.run;
    flushed.session_options[std::string(denormal_as_zero_option)] = "1";
    Result<Worker> as_is = start_worker();
    Result<Worker> as_zero = start_worker();
    if (!as_is || !as_zero || !as_is->open(plan_.run) || !as_zero->open(flushed)) return;
    std::vector<double> as_is_ms;
    std::vector<double> as_zero_ms;
    for (std::size_t turn = 0; turn < denormal_turns && !is_stopped(); ++turn) {
      if (!add_median(*as_is, block, as_is_ms) || !add_median(*as_zero, block, as_zero_ms)) return;
    }
    judge_turns(as_is_ms, as_zero_ms, result_.denormals);
  }

  static bool add_median(Worker& worker, const BlockPlan& plan, std::vector<double>& into) {
    const Result<WorkerBlock> block = worker.run(plan);
    if (!block || block->samples_ns.empty()) return false;
    into.push_back(median(in_milliseconds(times_of(*block))));
    return true;
  }

  double left_ms() const { return to_milliseconds(plan_.deadline - steady_now()); }

  OpTrace trace() {
    live_.phase = PerfPhase::tracing;
    Result<OpTrace> trace = run_traced();
    if (trace) return reconciled(std::move(*trace));
    const Error& error = trace.error();
    return no_trace({}, TraceStatus::no_data,
                    error.what + (error.cause.empty() ? "" : ": " + error.cause));
  }

  Result<OpTrace> run_traced() {
    HONE_TRY(Worker worker, start_worker());
    Watch watch(plan_, worker);
    HONE_TRY_DO(watch.add(tracer_for(watch.window().ep)));
    WindowSteps steps;
    steps.open = [&](const WindowOptions& options) -> Status {
      HONE_TRY_DO(worker.open(with_options(plan_.run, options)));
      return done();
    };
    steps.body = [&] { return run_traced_block(worker); };
    Status closed = done();
    steps.close = [&] { closed = worker.close(); };
    HONE_TRY(WindowOutcome outcome, run_window(gate_, watch.window(), steps));
    if (!outcome.body) return fail(std::move(outcome.body).error());
    if (!closed) return fail(std::move(closed).error());
    HONE_TRY(MonitorFinding finding, std::move(outcome.watchers.front().finding));
    if (!finding.op_trace) {
      return fail(Fault::runtime, "monitor '" + outcome.watchers.front().name + "' traced nothing");
    }
    for (std::string& note : outcome.notes) finding.op_trace->notes.push_back(std::move(note));
    return std::move(*finding.op_trace);
  }

  // As many runs as a trace takes, or as there is time for.
  BlockPlan short_block() const {
    const bool is_by_time = plan_.loop.duration > Nanoseconds{0};
    const auto asked = static_cast<std::int64_t>(plan_.loop.iterations);
    BlockPlan block{.iterations = is_by_time
                                      ? most_traced_iterations
                                      : std::clamp<std::int64_t>(asked, 1, most_traced_iterations),
                    .warmup = traced_warmup};
    if (!has_deadline()) return block;
    // Half of the time is for what a tracer adds, and for reading what it wrote.
    const double run_ms = std::max(result_.latency_ms.mean.value_or(0), 1e-3);
    const auto fitting = static_cast<std::int64_t>(std::clamp(left_ms() / 2 / run_ms, 0.0, 1e6));
    block.warmup = std::min(fitting / 4, block.warmup);
    block.iterations = std::clamp<std::int64_t>(fitting - block.warmup, 1, block.iterations);
    return block;
  }

  Result<RunCounts> run_traced_block(Worker& worker) const {
    const BlockPlan block = short_block();
    HONE_TRY_DO(worker.run(block));
    return RunCounts{.warmup = 1 + block.warmup, .measured = block.iterations};
  }

  OpTrace reconciled(OpTrace trace) const {
    const std::optional<double> median_ms = result_.latency_ms.p50;
    if (!median_ms) return trace;
    return reconcile(std::move(trace), {.median_us = *median_ms * 1000});
  }

  const PerfPlan& plan_;
  const PerfHooks& hooks_;
  PerfLive unwatched_;
  PerfLive& live_;
  WindowGate gate_;
  LoadMeter load_;
  PerfResult result_;
};

}  // namespace

std::vector<HwSeries> PerfLive::readings(Nanoseconds since) const {
  const std::scoped_lock lock(mutex_);
  return hardware_ != nullptr ? hardware_->live(since) : std::vector<HwSeries>();
}

std::optional<std::uint64_t> PerfLive::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return memory_ != nullptr ? memory_->now_bytes() : std::nullopt;
}

std::optional<std::uint64_t> PerfLive::most_memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  return memory_ != nullptr ? memory_->most_bytes() : std::nullopt;
}

void PerfLive::show(const OpenMonitor* hardware, const MemoryWatch* memory) {
  const std::scoped_lock lock(mutex_);
  hardware_ = hardware;
  memory_ = memory;
}

Result<PerfResult> measure_perf(const PerfPlan& plan, const PerfHooks& hooks) {
  return Measurement(plan, hooks).run();
}

}  // namespace hone
