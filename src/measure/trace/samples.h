#pragma once
// Statistics of the samples of one operator.

#include <vector>

#include "record/trace.h"

namespace hone {

// Of no samples, each of these is 0.
double mean_of(const std::vector<double>& samples);
double median_of(std::vector<double> samples);
// Linear between the two nearest samples. REQUIRES: 0 <= percent <= 100.
double percentile_of(std::vector<double> samples, double percent);
double typical_of(const std::vector<double>& samples, TraceStatistic statistic);

// The sum of duration_us.
double accounted_in(const OpTrace& trace);
// Sets percent_of_total to the operator's share of all durations, and p90_us.
void fill_shares(OpTrace& trace);
// The largest share first; equal shares by path, partition and id, so that one trace is always
// written in one order.
void sort_operators(OpTrace& trace);

}  // namespace hone
