#pragma once
// Where a mean lies, from the samples that were seen. Intervals of a mean are two-sided, 95 %.
// Intervals of a difference are the two one-sided 95 % bounds, for that is what a claim of "no
// worse" rests on.

#include <cstdint>
#include <span>

#include "record/eval.h"

namespace hone {

// A share of yes among yes/no answers, by Wilson's score interval: right for shares near 0 and 1
// and for few samples, where the usual one is far too narrow. REQUIRES: hits <= count, count > 0.
Estimate wilson_interval(std::uint64_t hits, std::uint64_t count);

// A mean of anything, by the percentile bootstrap over samples. REQUIRES: values is not empty.
Estimate bootstrap_interval(std::span<const double> values, std::uint64_t seed);

// The difference of two shares that were seen on the same samples, by Tango's score interval
// (1998): only samples where the two disagree count, and where they never did, the bound is that of
// the number of samples and not zero. REQUIRES: lost + gained <= count, count > 0.
MetricDifference tango_interval(std::uint64_t lost, std::uint64_t gained, std::uint64_t count);

// The mean of paired differences of anything. REQUIRES: differences is not empty.
MetricDifference bootstrap_difference(std::span<const double> differences, std::uint64_t seed);

// Whether a drop of `max_drop` is excluded, shown, or neither.
InferiorityVerdict judge_inferiority(const EvalMetric& metric, double max_drop);

}  // namespace hone
