#pragma once
// Statistics that a few wild values do not move.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace hone {

// The standard deviation of normal data is this many times its median absolute deviation.
inline constexpr double mad_to_sigma = 1.4826;

// REQUIRES: sorted is sorted and not empty.
inline double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// REQUIRES: values is not empty.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return median_of_sorted(values);
}

// The median distance from the centre, scaled to a standard deviation. REQUIRES: values is not
// empty.
inline double robust_deviation(std::vector<double> values, double centre) {
  for (double& value : values) value = std::abs(value - centre);
  return mad_to_sigma * median(std::move(values));
}

}  // namespace hone
