#include "measure/trace/samples.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "measure/percentile.h"

namespace hone {

double mean_of(const std::vector<double>& samples) {
  if (samples.empty()) return 0;
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double median_of(std::vector<double> samples) { return percentile_of(std::move(samples), 50); }

double percentile_of(std::vector<double> samples, double percent) {
  if (samples.empty()) return 0;
  std::ranges::sort(samples);
  return quantile(samples, percent);
}

double typical_of(const std::vector<double>& samples, TraceStatistic statistic) {
  return statistic == TraceStatistic::mean ? mean_of(samples) : median_of(samples);
}

double accounted_in(const OpTrace& trace) {
  double sum = 0;
  for (const TraceOperator& op : trace.operators) sum += op.duration_us;
  return sum;
}

void fill_shares(OpTrace& trace) {
  const double accounted = accounted_in(trace);
  for (TraceOperator& op : trace.operators) {
    op.percent_of_total = accounted > 0 ? op.duration_us / accounted * 100 : 0;
    op.p90_us = percentile_of(op.samples_us, 90);
  }
}

void sort_operators(OpTrace& trace) {
  std::ranges::stable_sort(trace.operators, [](const TraceOperator& a, const TraceOperator& b) {
    return std::tie(b.percent_of_total, a.op_path, a.partition, a.op_id, a.node_index) <
           std::tie(a.percent_of_total, b.op_path, b.partition, b.op_id, b.node_index);
  });
}

}  // namespace hone
