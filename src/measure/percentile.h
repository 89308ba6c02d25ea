#pragma once
// Percentiles that the sample supports, and words for those it does not.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hone {

// How many samples a tail percentile needs: as many as put at least two of them beyond the true
// percentile with the given confidence (binomial tail). With fewer, the estimate is the largest
// sample or close to it: p99 of 100 samples is their maximum. At 99 %: p90 needs 64, p95 130, p99
// 662, p99.9 6636. REQUIRES: 0 < percent < 100, 0 < confidence < 1.
std::uint64_t samples_needed(double percent, double confidence = 0.99);

// The percentile of sorted values by linear interpolation between the two nearest (numpy's default,
// type 7 of Hyndman and Fan). REQUIRES: sorted is sorted and not empty; 0 <= percent <= 100.
double quantile(std::span<const double> sorted, double percent);

// The largest rate at which seeing no more than `seen` of `trials` would still be likely enough, by
// Clopper and Pearson, one-sided. REQUIRES: seen <= trials, 0 < confidence < 1.
double rate_upper_bound(std::uint64_t seen, std::uint64_t trials, double confidence);

struct Percentile {
  std::string name;             // "p99", "p99.9"
  std::optional<double> value;  // nothing when the sample does not support it
  std::string reason;           // "p99 not supported (needs 662 samples, have 300)"
};

// The median is a centre and not a tail: one sample is enough for it. REQUIRES: sorted is sorted;
// 50 <= percent < 100.
Percentile percentile(std::span<const double> sorted, double percent);

}  // namespace hone
