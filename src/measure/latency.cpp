#include "measure/latency.h"

#include <algorithm>
#include <cmath>

#include "measure/percentile.h"

namespace hone {
namespace {

constexpr int most_rounds = 3;

void append(std::vector<Nanoseconds>& all, const std::vector<Nanoseconds>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// How many measured iterations are missing, because some of those counted turned out to be warm-up.
std::uint64_t missing_iterations(const LoopPlan& plan, const LatencyRun& run) {
  const bool by_count = plan.duration <= Nanoseconds{0};
  if (!by_count || run.end != LoopEnd::finished) return 0;
  const std::uint64_t have = run.measured().size();
  const std::uint64_t most = plan.warmup + 2 * plan.iterations;
  if (have >= plan.iterations || run.iterations.size() >= most) return 0;
  return std::min(plan.iterations - have, most - run.iterations.size());
}

// What was warm-up once stays so: others were run in its place.
void find_first_measured(std::size_t warmup, LatencyRun& run) {
  run.steady = find_steady_state(run.iterations);
  const bool is_known = run.steady.steadiness != Steadiness::unknown;
  const std::size_t found = is_known ? run.steady.start : 0;
  run.first_measured =
      std::min(run.iterations.size(), std::max({warmup, found, run.first_measured}));
}

std::optional<double> mean_of(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::optional<double> deviation_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double mean = *mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

std::vector<double> in_milliseconds(std::span<const Nanoseconds> times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const Nanoseconds time : times) values.push_back(to_milliseconds(time));
  return values;
}

Result<LatencyRun> measure_latency(const LoopPlan& plan, const RunBlock& run,
                                   const LoopHooks& hooks, const Clock& clock) {
  HONE_TRY(const LoopSamples first, run_loop(plan, run, hooks, clock));
  LatencyRun result;
  append(result.iterations, first.warmup);
  append(result.iterations, first.measured);
  result.elapsed = first.elapsed;
  result.end = first.end;
  find_first_measured(first.warmup.size(), result);

  for (int round = 0; round < most_rounds; ++round) {
    const std::uint64_t missing = missing_iterations(plan, result);
    if (missing == 0) break;
    LoopHooks next = hooks;
    next.meter = nullptr;  // it counts what was asked for, and that is done
    HONE_TRY(const LoopSamples more,
             run_loop({.warmup = 0, .iterations = missing}, run, next, clock));
    append(result.iterations, more.measured);
    result.elapsed += more.elapsed;
    result.end = more.end;
    find_first_measured(first.warmup.size(), result);
  }
  return result;
}

PerfLatency summarize_latency(const LatencyRun& run) {
  std::vector<double> values = in_milliseconds(run.measured());
  PerfLatency latency;
  latency.mean = mean_of(values);
  latency.deviation = deviation_of(values);
  latency.warmup_mean = mean_of(in_milliseconds(run.warmup()));
  std::ranges::sort(values);
  if (!values.empty()) {
    latency.min = values.front();
    latency.max = values.back();
  }
  const auto take = [&](double percent) {
    Percentile result = percentile(values, percent);
    if (!result.value) latency.not_supported.push_back(std::move(result.reason));
    return result.value;
  };
  latency.p50 = take(50);
  latency.p90 = take(90);
  latency.p95 = take(95);
  latency.p99 = take(99);
  return latency;
}

PerfThroughput summarize_throughput(const LatencyRun& run, std::optional<std::int64_t> batch) {
  PerfThroughput throughput;
  const std::optional<double> mean = mean_of(in_milliseconds(run.measured()));
  if (!mean || *mean <= 0) return throughput;
  throughput.batches_per_sec = 1000 / *mean;
  if (batch) throughput.samples_per_sec = static_cast<double>(*batch) * 1000 / *mean;
  return throughput;
}

PerfSteadyState summarize_steady_state(const LatencyRun& run) {
  PerfSteadyState state;
  state.state = run.steady.steadiness;
  state.reason = run.steady.reason;
  if (state.state == Steadiness::unknown) return state;
  state.warmup_iterations = run.steady.start;
  state.time_to_steady_ms = to_milliseconds(run.steady.time_to_steady);
  state.spike_rate = run.steady.spike_rate;
  return state;
}

}  // namespace hone
