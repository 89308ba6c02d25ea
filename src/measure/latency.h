#pragma once
// How fast a run is once it has warmed up, and how it got there.

#include <span>
#include <vector>

#include "measure/loop.h"
#include "measure/steady_state.h"
#include "record/perf.h"

namespace hone {

struct LatencyRun {
  std::vector<Nanoseconds> iterations;  // all of them, in order
  std::size_t first_measured = 0;       // those before it are warm-up, asked for or found
  Nanoseconds elapsed{0};               // of the loop after the warm-up that was asked for
  LoopEnd end = LoopEnd::finished;
  SteadyState steady;

  std::span<const Nanoseconds> warmup() const {
    return std::span(iterations).first(first_measured);
  }
  std::span<const Nanoseconds> measured() const {
    return std::span(iterations).subspan(first_measured);
  }
};

// Runs the loop and finds where steady state begins. Where that is after the warm-up that was asked
// for, the iterations before it are warm-up too, and in a run by count as many follow at the end:
// whoever asks for 100 gets 100 of steady state. At most three times, and never more than twice
// what was asked for.
Result<LatencyRun> measure_latency(const LoopPlan& plan, const RunBlock& run,
                                   const LoopHooks& hooks = {}, const Clock& clock = steady_now);

// Statistics of the measured iterations; `batch` is what one run computes, where it is known.
PerfLatency summarize_latency(const LatencyRun& run);
PerfThroughput summarize_throughput(const LatencyRun& run, std::optional<std::int64_t> batch);
PerfSteadyState summarize_steady_state(const LatencyRun& run);

std::vector<double> in_milliseconds(std::span<const Nanoseconds> times);

}  // namespace hone
