#include "measure/trace/reconcile.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "measure/trace/samples.h"

namespace hone {
namespace {

// The profiler's floor was 2 to 5 us per node on every machine we saw. A trace of large operators
// alone has no small one to read it from; this keeps their real time from being taken for it.
constexpr double highest_floor_us = 20;
constexpr double floor_percentile = 5;

struct Floor {
  double us = 0;
  std::string source = "none";
};

// What is timed by the device, and not by the profiler, has none.
bool has_floor(const TraceOperator& op) {
  return !op.host_us && (op.node_index.has_value() || !op.parent);
}

double calls_with_floor(const OpTrace& trace) {
  double calls = 0;
  for (const TraceOperator& op : trace.operators) calls += has_floor(op) ? op.calls : 0;
  return calls;
}

Floor find_floor(const OpTrace& trace, const UntracedRun& untraced) {
  if (untraced.node_floor_us) {
    const bool makes_sense = std::isfinite(*untraced.node_floor_us) && *untraced.node_floor_us > 0;
    return makes_sense ? Floor{*untraced.node_floor_us, "calibration"} : Floor{};
  }
  const double calls = calls_with_floor(trace);
  if (trace.metadata.source != TraceSource::ort_profile || calls <= 0) return {};
  // The time of a node around others is what is left when theirs is taken out, floor and all.
  std::set<std::string_view> around;
  for (const TraceOperator& op : trace.operators)
    if (op.parent) around.insert(*op.parent);
  std::vector<double> per_call;
  for (const TraceOperator& op : trace.operators) {
    const bool tells = has_floor(op) && op.calls > 0 && !around.contains(op.op_path);
    if (tells) per_call.push_back(op.duration_us / op.calls);
  }
  if (per_call.empty()) return {};
  const double slowdown = trace.summary.traced_total_us.value_or(0) - untraced.median_us;
  const double floor = std::min(
      {percentile_of(std::move(per_call), floor_percentile), highest_floor_us, slowdown / calls});
  return floor > 0 ? Floor{floor, "trace"} : Floor{};
}

// An operator's samples without the floor.
std::vector<double> lower(const TraceOperator& op, double floor_us) {
  std::vector<double> samples = op.samples_us;
  const double cost = has_floor(op) ? floor_us * op.calls : 0;
  for (double& sample : samples) sample = std::max(0.0, sample - cost);
  return samples;
}

double sum_without(const OpTrace& trace, double floor_us) {
  double sum = 0;
  for (const TraceOperator& op : trace.operators) {
    sum += typical_of(lower(op, floor_us), trace.metadata.statistic);
  }
  return sum;
}

void correct(OpTrace& trace, double floor_us, double scale) {
  for (TraceOperator& op : trace.operators) {
    op.traced_us = op.duration_us;
    op.samples_us = lower(op, floor_us);
    for (double& sample : op.samples_us) sample *= scale;
    // A rounding must not make it longer than it was.
    op.duration_us = std::min(typical_of(op.samples_us, trace.metadata.statistic), *op.traced_us);
  }
}

// Where the GPU idles for more than a fifth of an inference, launching at once is worth a try.
// ResNet-50 on an H200 kept it busy for 58 %, and a CUDA graph took 0.60 of the time (1.38 ms to
// 0.83 ms, of which 0.81 ms were kernels).
constexpr double launch_bound_below = 0.8;

void fill_gpu(TraceGpu& gpu, double untraced_us) {
  gpu.busy_share = std::min(1.0, gpu.busy_us / untraced_us);
  gpu.is_launch_bound = *gpu.busy_share < launch_bound_below;
}

void fill_summary(OpTrace& trace, double untraced_us) {
  TraceSummary& summary = trace.summary;
  if (summary.gpu) fill_gpu(*summary.gpu, untraced_us);
  summary.total_us = untraced_us;
  summary.accounted_us = std::min(accounted_in(trace), untraced_us);
  summary.gaps_us = untraced_us - summary.accounted_us;
  summary.untraced_share = *summary.gaps_us / untraced_us;
  summary.provider_us.clear();
  for (const TraceOperator& op : trace.operators) {
    summary.provider_us[op.provider.value_or("unknown")] += op.duration_us;
  }
}

}  // namespace

OpTrace reconcile(OpTrace trace, const UntracedRun& untraced) {
  const bool is_possible = trace.has_operators() && !trace.operators.empty() &&
                           !trace.summary.correction && std::isfinite(untraced.median_us) &&
                           untraced.median_us > 0;
  if (!is_possible) return trace;
  const double traced_us = accounted_in(trace);
  Floor floor = find_floor(trace, untraced);
  // Where every operator is at the floor, it tells nothing about their shares.
  if (sum_without(trace, floor.us) <= 0) floor = {};
  const double left_us = sum_without(trace, floor.us);
  const double scale = left_us > untraced.median_us ? untraced.median_us / left_us : 1;
  correct(trace, floor.us, scale);
  fill_summary(trace, untraced.median_us);
  if (floor.us > 0) fill_shares(trace);  // scaling alone changes no share
  for (TraceOperator& op : trace.operators) op.p90_us = percentile_of(op.samples_us, 90);
  sort_operators(trace);
  const double removed_us = std::max(0.0, traced_us - trace.summary.accounted_us);
  trace.summary.correction =
      TraceCorrection{.untraced_us = untraced.median_us,
                      .floor_us = floor.us,
                      .floor_source = floor.source,
                      .scale = scale,
                      .removed_us = removed_us,
                      .removed_share = traced_us > 0 ? removed_us / traced_us : 0};
  return trace;
}

}  // namespace hone
