#include "measure/perf.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/counted.h"
#include "base/load_meter.h"
#include "base/text.h"
#include "measure/denormals.h"
#include "measure/energy.h"
#include "measure/perf_parts.h"
#include "measure/sessions.h"

namespace hone {
namespace {

constexpr std::string_view denormal_as_zero_option = "session.set_denormal_as_zero";
// Of the time there is, where there is an end to it and a trace is to follow.
constexpr double measuring_share = 0.6;

// "6.1 s"
std::string seconds_text(double time_ms) {
  const auto tenths = std::lround(time_ms / 100);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// The hardware where it is to be watched, and what proves that this EP's device worked.
Status add_untraced_monitors(const PerfPlan& plan, PerfMonitors& watch) {
  if (plan.watches_hardware) HONE_TRY_DO(watch.add(monitors::hw()));
  for (const Monitor& monitor : monitors_of(plan.run.target.ep)) {
    if (!monitor.traces) HONE_TRY_DO(watch.add(monitor));
  }
  return done();
}

// Runs, and the time in which they were made; streams make several at once.
struct Tally {
  std::uint64_t runs = 0;
  Nanoseconds elapsed{0};
};

// One measurement: what it has found so far is in `result_`.
class Measurement {
 public:
  Measurement(const PerfPlan& plan, const PerfHooks& hooks)
      : plan_(plan), hooks_(hooks), live_(hooks.live != nullptr ? *hooks.live : unwatched_) {}

  Result<PerfResult> run() {
    if (Status measured = measure_sessions(); !measured)
      return fail(with_advice(std::move(measured).error()));
    sum_up();
    result_.load = to_record(load_.so_far());
    if (plan_.tries_denormals_as_zero && !is_stopped(hooks_)) try_denormals_as_zero();
    if (plan_.run.io_binding == IoBinding::device && !is_stopped(hooks_)) measure_transfers();
    if (plan_.tracing && !is_stopped(hooks_)) {
      live_.phase = PerfPhase::tracing;
      result_.op_trace = trace_operators(plan_, hooks_, result_.latency_ms);
    }
    live_.phase = PerfPhase::finished;
    return std::move(result_);
  }

 private:
  bool is_late() const { return has_deadline(plan_) && steady_now() >= plan_.deadline; }

  // What the time did not suffice for, by what is known of it.
  Error with_advice(Error error) const {
    if (error.fault != Fault::timeout || !is_late()) return error;
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

  // What is left of the time, divided among the sessions to come.
  Nanoseconds end_of_measuring() const {
    const bool is_shared = plan_.tracing || plan_.sessions > 1;
    if (!has_deadline(plan_) || !is_shared) return plan_.deadline;
    const Nanoseconds now = steady_now();
    const auto sessions_left = static_cast<double>(plan_.sessions - sessions_.size());
    const double share = (plan_.tracing ? measuring_share : 1) / std::max(sessions_left, 1.0);
    const auto left = static_cast<double>((plan_.deadline - now).count());
    return now + Nanoseconds(static_cast<std::int64_t>(left * share));
  }

  // One that fails after the first, because the time is over or somebody stopped it, leaves what
  // was measured before.
  Status measure_sessions() {
    for (std::size_t i = 0; i < plan_.sessions; ++i) {
      if (i > 0 && !cool_down()) break;
      Status measured = measure_session();
      if (measured) continue;
      if (sessions_.empty() || !(is_stopped(hooks_) || is_late())) return measured;
      break;
    }
    if (sessions_.size() < plan_.sessions) {
      result_.notes.push_back("it ended after " + counted(sessions_.size(), "session") + " of " +
                              std::to_string(plan_.sessions));
    }
    return done();
  }

  // Whether there is time for another session.
  bool cool_down() {
    live_.phase = PerfPhase::cooling_down;
    const Nanoseconds end = steady_now() + plan_.cool_down;
    while (steady_now() < end && !is_stopped(hooks_) && !is_late())
      std::this_thread::sleep_for(std::min<Nanoseconds>(end - steady_now(), block_time));
    live_.phase = PerfPhase::loading;
    return !is_stopped(hooks_) && !is_late();
  }

  Status measure_session() {
    HONE_TRY(Worker worker, start_worker(plan_, hooks_));
    MemoryWatch memory(std::to_string(worker.process_id()));
    PerfMonitors watch(plan_, std::to_string(worker.process_id()));
    HONE_TRY_DO(add_untraced_monitors(plan_, watch));
    for (const Watcher& watcher : hooks_.watchers) watch.add(watcher);
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
      if (!result_.memory) result_.memory = memory.finish();
      return counts;
    };
    steps.close = [&] {
      if (!worker.is_gone()) note_failure(worker.close());
    };
    WindowGate gate;
    auto outcome = run_window(gate, watch.window(), steps);
    live_.hide();
    if (!outcome) return fail(std::move(outcome).error());
    if (!outcome->body) return fail(std::move(outcome->body).error());
    take_findings(std::move(*outcome));
    return done();
  }

  void note_opened(const WorkerOpened& opened) {
    opened_ = opened;
    if (!sessions_.empty()) return;  // the first one tells for all
    PerfBenchmarkInfo& info = result_.benchmark_info;
    info.runtime_version = opened.ort_version;
    info.device = opened.device;
    info.effective_batch_size = opened.batch;
    info.streams = plan_.run.streams;
    info.io_binding = plan_.run.io_binding;
    result_.placement = opened.placement;
    result_.cold_start.runtime_ms = opened.runtime_ms;
    result_.cold_start.load_ms = opened.load_ms;
    result_.cold_start.first_inference_ms = opened.first_inference_ms;
    result_.notes = opened.assumptions;
    for (const std::string& note : opened.wrong_outputs) result_.notes.push_back(note);
  }

  Result<RunCounts> measure_runs(Worker& worker) {
    live_.phase = plan_.loop.warmup > 0 ? PerfPhase::warming_up : PerfPhase::measuring;
    live_.meter.is_warm = false;
    Tally all;
    const RunBlock run = [&](std::uint64_t iterations,
                             Nanoseconds time) -> Result<std::vector<Nanoseconds>> {
      if (live_.meter.is_warm) live_.phase = PerfPhase::measuring;
      const BlockPlan block{.iterations = static_cast<std::int64_t>(iterations), .time = time};
      HONE_TRY(const WorkerBlock answer, worker.run(block));
      const Nanoseconds elapsed(static_cast<std::int64_t>(answer.elapsed_ns));
      const std::uint64_t runs = answer.samples_ns.size();
      all = {all.runs + runs, all.elapsed + elapsed};
      if (live_.meter.is_warm) warm_ = {warm_.runs + runs, warm_.elapsed + elapsed};
      return times_of(answer);
    };
    HONE_TRY(LatencyRun latency,
             measure_latency(
                 plan_.loop, run,
                 {.stop = hooks_.stop, .meter = &live_.meter, .deadline = end_of_measuring()}));
    if (latency.measured().empty() && !sessions_.empty())
      return fail(Fault::runtime, "it was stopped before the first run was measured");
    if (sessions_.empty()) result_.steady_state = summarize_steady_state(latency);
    note_end(latency);
    body_ = all;
    // Opening has run it once.
    const RunCounts counts{.warmup = 1 + static_cast<std::int64_t>(latency.warmup().size()),
                           .measured = static_cast<std::int64_t>(latency.measured().size())};
    sessions_.push_back({.p50_ms = summarize_latency(latency).p50.value_or(0),
                         .iterations = latency.measured().size(),
                         .load_ms = opened_.load_ms,
                         .first_inference_ms = opened_.first_inference_ms});
    runs_.push_back(std::move(latency));
    return counts;
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
      const bool is_first = sessions_.size() == 1;
      if (finding.hw_monitor && is_first) {
        result_.hw_monitor = std::move(finding.hw_monitor);
        result_.energy =
            energy_of(*result_.hw_monitor, body_.runs, result_.benchmark_info.effective_batch_size);
      }
      if (finding.ep_proof && is_first) result_.ep_proof = std::move(finding.ep_proof);
      if (finding.own) {
        if (!result_.monitors) result_.monitors.emplace();
        result_.monitors->emplace(watcher.name, std::move(*finding.own));
      }
    }
  }

  // The runs of all sessions together, and what sessions show beyond that.
  void sum_up() {
    LatencyRun all;
    for (const LatencyRun& run : runs_) {
      all.iterations.insert(all.iterations.end(), run.warmup().begin(), run.warmup().end());
    }
    all.first_measured = all.iterations.size();
    for (const LatencyRun& run : runs_) {
      all.iterations.insert(all.iterations.end(), run.measured().begin(), run.measured().end());
    }
    result_.latency_ms = summarize_latency(all);
    result_.throughput = summarize_throughput(all, result_.benchmark_info.effective_batch_size);
    if (plan_.run.streams > 1) result_.throughput = throughput_of_streams();
    result_.raw_samples_ms = in_milliseconds(all.measured());
    result_.warmup_samples_ms = in_milliseconds(all.warmup());
    result_.benchmark_info.iterations = all.measured().size();
    result_.benchmark_info.warmup = all.warmup().size();
    if (plan_.sessions < 2) return;
    result_.sessions = summarize_sessions(std::move(sessions_));
    result_.sessions->cool_down_s = to_milliseconds(plan_.cool_down) / 1000;
  }

  // What they did together, by the clock: one run says nothing of that.
  PerfThroughput throughput_of_streams() const {
    PerfThroughput throughput;
    if (warm_.elapsed <= Nanoseconds{0}) return throughput;
    const double per_second =
        static_cast<double>(warm_.runs) * 1000 / to_milliseconds(warm_.elapsed);
    throughput.batches_per_sec = per_second;
    if (const auto batch = result_.benchmark_info.effective_batch_size)
      throughput.samples_per_sec = per_second * static_cast<double>(*batch);
    return throughput;
  }

  // Asides: where they fail, or would take long, there is no number, and nothing else is missing.
  void try_denormals_as_zero() {
    RunPlan flushed = plan_.run;
    flushed.session_options[std::string(denormal_as_zero_option)] = "1";
    const double run_ms = result_.latency_ms.mean.value_or(1e6);
    if (const auto turns = take_turns(plan_, hooks_, plan_.run, flushed, run_ms))
      judge_turns(turns->first_ms, turns->second_ms, result_.denormals);
  }

  void measure_transfers() {
    RunPlan crossing = plan_.run;
    crossing.io_binding = IoBinding::none;
    const double run_ms = result_.latency_ms.mean.value_or(1e6);
    if (const auto turns = take_turns(plan_, hooks_, plan_.run, crossing, run_ms))
      result_.transfers = judge_transfers(turns->first_ms, turns->second_ms);
  }

  const PerfPlan& plan_;
  const PerfHooks& hooks_;
  PerfLive unwatched_;
  PerfLive& live_;
  LoadMeter load_;
  PerfResult result_;
  WorkerOpened opened_;  // of the session under way
  std::vector<PerfSession> sessions_;
  std::vector<LatencyRun> runs_;
  Tally body_;  // of the last session, warm-up included
  Tally warm_;  // of all of them, without
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
