#include "measure/trace/device.h"

#include <algorithm>
#include <map>

#include "measure/trace/samples.h"

namespace hone {
namespace {

// What one inference was to the device.
struct Busy {
  double busy_us = 0;
  double idle_us = 0;
  double copy_us = 0;
};

// Kernels of several streams overlap: busy is the time in which one of them ran.
Busy busy_in(DeviceRun run) {
  std::ranges::stable_sort(run, {}, &DeviceWork::start_us);
  Busy seen;
  double end = run.empty() ? 0 : run.front().start_us;
  for (const DeviceWork& work : run) {
    const double work_end = work.start_us + work.duration_us;
    seen.idle_us += std::max(0.0, work.start_us - end);
    const double own = std::max(0.0, work_end - std::max(end, work.start_us));
    seen.busy_us += own;
    if (work.kind == GpuWorkKind::copy) seen.copy_us += own;
    end = std::max(end, work_end);
  }
  return seen;
}

template <class Value>
double median_over(std::span<const DeviceRun> runs, Value value) {
  std::vector<double> values;
  for (const DeviceRun& run : runs) values.push_back(value(run));
  return median_of(std::move(values));
}

double count_of(const DeviceRun& run, GpuWorkKind kind) {
  return static_cast<double>(std::ranges::count(run, kind, &DeviceWork::kind));
}

TraceGpu describe_gpu(std::span<const DeviceRun> runs) {
  TraceGpu gpu;
  gpu.kernels =
      median_over(runs, [](const auto& run) { return count_of(run, GpuWorkKind::kernel); });
  gpu.copies = median_over(runs, [](const auto& run) { return count_of(run, GpuWorkKind::copy); });
  gpu.busy_us = median_over(runs, [](const auto& run) { return busy_in(run).busy_us; });
  gpu.idle_us = median_over(runs, [](const auto& run) { return busy_in(run).idle_us; });
  gpu.copy_us = median_over(runs, [](const auto& run) { return busy_in(run).copy_us; });
  gpu.copy_bytes = median_over(runs, [](const auto& run) {
    double bytes = 0;
    for (const DeviceWork& work : run) bytes += work.kind == GpuWorkKind::copy ? work.bytes : 0;
    return bytes;
  });
  return gpu;
}

// The operators of the device, while its work is put on them.
class DeviceOperators {
 public:
  DeviceOperators(OpTrace& trace, const std::string& provider, std::size_t runs)
      : trace_(trace), runs_(runs), unmatched_us_(runs) {
    for (std::size_t i = 0; i < trace.operators.size(); ++i) {
      TraceOperator& op = trace.operators[i];
      if (op.provider != provider) continue;
      op.host_us = op.duration_us;
      std::ranges::fill(op.samples_us, 0.0);
      places_.emplace(op.op_path, i);
    }
  }

  void add(std::size_t run, const DeviceWork& work) {
    const auto place = places_.find(work.node);
    if (place != places_.end()) {
      trace_.operators[place->second].samples_us[run] += work.duration_us;
      Total& total = kernels_[place->second][work.name];
      total.us += work.duration_us;
      ++total.calls;
    } else if (work.kind == GpuWorkKind::kernel) {
      unmatched_us_[run] += work.duration_us;
    }
  }

  void finish() {
    for (const auto& [name, place] : places_) {
      TraceOperator& op = trace_.operators[place];
      op.duration_us = typical_of(op.samples_us, trace_.metadata.statistic);
      op.kernels = kernels_of(place);
    }
  }
  double unmatched_us() const { return median_of(unmatched_us_); }

 private:
  struct Total {
    double us = 0;
    double calls = 0;
  };

  std::vector<TraceKernel> kernels_of(std::size_t place) {
    std::vector<TraceKernel> made;
    const auto runs = static_cast<double>(runs_);
    for (const auto& [name, total] : kernels_[place])
      made.push_back({.name = name, .duration_us = total.us / runs, .calls = total.calls / runs});
    std::ranges::stable_sort(made, std::ranges::greater(), &TraceKernel::duration_us);
    return made;
  }

  OpTrace& trace_;
  std::size_t runs_;
  std::map<std::string, std::size_t, std::less<>> places_;  // op_path -> operator
  std::map<std::size_t, std::map<std::string, Total>> kernels_;
  std::vector<double> unmatched_us_;
};

void fill_summary(OpTrace& trace) {
  TraceSummary& summary = trace.summary;
  summary.accounted_us = accounted_in(trace);
  const double run_us = summary.traced_total_us.value_or(summary.accounted_us);
  summary.gaps_us = std::max(0.0, run_us - summary.accounted_us);
  summary.total_us = summary.accounted_us + *summary.gaps_us;
  summary.traced_total_us = summary.total_us;
  summary.untraced_share = *summary.total_us > 0 ? *summary.gaps_us / *summary.total_us : 0;
  summary.provider_us.clear();
  for (const TraceOperator& op : trace.operators)
    summary.provider_us[op.provider.value_or("unknown")] += op.duration_us;
}

}  // namespace

OpTrace with_device_times(OpTrace trace, std::span<const DeviceRun> runs,
                          const std::string& provider) {
  if (!trace.has_operators()) return trace;
  if (std::ssize(runs) != trace.metadata.num_samples || runs.empty()) {
    trace.metadata.times = TraceTimes::host;
    trace.notes.push_back("the device's times are of " + std::to_string(runs.size()) +
                          " inferences and the profile of " +
                          std::to_string(trace.metadata.num_samples) +
                          ": they cannot be matched, and these are the host's");
    return trace;
  }
  DeviceOperators operators(trace, provider, runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const DeviceWork& work : runs[i]) operators.add(i, work);
  operators.finish();
  trace.metadata.times = TraceTimes::device;
  trace.summary.gpu = describe_gpu(runs);
  trace.summary.gpu->unmatched_us = operators.unmatched_us();
  fill_shares(trace);
  sort_operators(trace);
  fill_summary(trace);
  return trace;
}

}  // namespace hone
