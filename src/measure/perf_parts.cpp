#include "measure/perf_parts.h"

#include <algorithm>
#include <filesystem>

#include "measure/capture.h"
#include "measure/denormals.h"
#include "measure/robust.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

bool add_median(Worker& worker, const BlockPlan& plan, std::vector<double>& into) {
  const Result<WorkerBlock> block = worker.run(plan);
  if (!block || block->samples_ns.empty()) return false;
  into.push_back(median(in_milliseconds(times_of(*block))));
  return true;
}

// Takes what is no option of ONNX Runtime out of the options.
void take_option(RunPlan& plan, std::string_view name, std::string& into) {
  if (auto given = plan.session_options.extract(std::string(name))) into = given.mapped();
}

}  // namespace

Result<Worker> start_worker(const PerfPlan& plan, const PerfHooks& hooks,
                            const MonitorOptions& more) {
  WorkerLimits limits = plan.limits;
  limits.stop = hooks.stop;
  if (has_deadline(plan)) limits.until = std::chrono::steady_clock::time_point(plan.deadline);
  auto environment = plan.environment;
  environment.insert(environment.end(), more.begin(), more.end());
  return Worker::start(plan.program, limits, environment);
}

RunPlan with_options(RunPlan plan, const WindowOptions& options) {
  plan.session_options = options.session;
  plan.target.options = options.provider;
  take_option(plan, ort_profile_option, plan.profile_prefix);
  take_option(plan, cupti_option, plan.cupti);
  take_option(plan, gpu_activity_option, plan.gpu_activity);
  return plan;
}

std::vector<Nanoseconds> times_of(const WorkerBlock& block) {
  std::vector<Nanoseconds> times;
  times.reserve(block.samples_ns.size());
  for (const std::uint64_t time : block.samples_ns) {
    times.emplace_back(static_cast<std::int64_t>(time));
  }
  return times;
}

PerfMonitors::PerfMonitors(const PerfPlan& plan, std::string process) {
  settings_.ep = ep_short_name(plan.run.target.ep);
  settings_.model = plan.run.model;
  settings_.folder = plan.trace_folder;
  std::error_code unknown;
  settings_.work_folder = std::filesystem::current_path(unknown);
  settings_.level = plan.tracing.value_or(TraceLevel::basic);
  settings_.node_types = plan.node_types;
  settings_.qnn_sdk = plan.qnn_sdk;
  settings_.hw.process = std::move(process);
  settings_.hw.nvml_library = plan.nvml_library;
  window_.options = {plan.run.session_options, plan.run.target.options};
  window_.ep = settings_.ep;
}

Status PerfMonitors::add(const Monitor& monitor) {
  HONE_TRY(std::unique_ptr<OpenMonitor> opened, monitor.open(settings_));
  window_.watchers.push_back({std::string(monitor.name), "", opened.get()});
  monitors_.push_back(std::move(opened));
  return done();
}

MonitorOptions PerfMonitors::environment() const {
  MonitorOptions all;
  for (const auto& monitor : monitors_) all.merge(monitor->environment());
  return all;
}

std::optional<Turns> take_turns(const PerfPlan& plan, const PerfHooks& hooks, const RunPlan& first,
                                const RunPlan& second, double run_ms) {
  constexpr double longest_ms = 10'000;
  constexpr Nanoseconds longest_turn = std::chrono::milliseconds(50);
  constexpr std::int64_t most_runs = 20;
  const BlockPlan block{.iterations = most_runs, .warmup = 1, .time = longest_turn};
  const double turn_ms = run_ms + std::max(run_ms, to_milliseconds(block.time));
  const double all_ms = 2 * (denormal_turns * turn_ms + run_ms);
  if (all_ms > longest_ms || (has_deadline(plan) && all_ms > left_ms(plan) / 2)) return {};
  Result<Worker> one = start_worker(plan, hooks);
  Result<Worker> other = start_worker(plan, hooks);
  if (!one || !other || !one->open(first) || !other->open(second)) return {};
  Turns turns;
  for (std::size_t turn = 0; turn < denormal_turns && !is_stopped(hooks); ++turn) {
    if (!add_median(*one, block, turns.first_ms) || !add_median(*other, block, turns.second_ms))
      return {};
  }
  return turns;
}

}  // namespace hone
