#pragma once
// A histogram of fixed bounds, and the ranges that entropy and percentile find in it. The bounds
// are known before the first number is counted (the extremes are measured first), so it never
// grows, and histograms of the same bounds add up.

#include <cstdint>
#include <span>
#include <vector>

#include "transform/quantize/numbers.h"

namespace hone {

class Histogram {
 public:
  // `bins` of equal width from the lowest to the highest number. REQUIRES: bounds.low <
  // bounds.high.
  Histogram(RealRange bounds, std::size_t bins);

  // As numpy.histogram counts: a bin holds its lower edge, the last one both. What lies outside and
  // NaN is left out.
  void add(std::span<const float> numbers);
  void add_magnitudes(std::span<const float> numbers);
  void add(const Histogram& other);

  const std::vector<std::uint64_t>& counts() const { return counts_; }
  // REQUIRES: as many as there are bins.
  void set_counts(std::vector<std::uint64_t> counts);
  // The lower edge of a bin; that of the one behind the last is the upper end.
  float edge(std::size_t bin) const { return edges_[bin]; }
  std::uint64_t total() const;

 private:
  void count(float number);
  std::vector<float> edges_;
  std::vector<std::uint64_t> counts_;
};

// The part around zero that, rounded to `levels` levels, is nearest to what was seen by
// Kullback-Leibler divergence. REQUIRES: bounds of the histogram are symmetric, bins >= levels.
RealRange entropy_range(const Histogram& histogram, RealRange seen, std::size_t levels = 128);

// Plus and minus the magnitude below which `percent` of all magnitudes lie, within what was seen.
RealRange percentile_range(const Histogram& magnitudes, RealRange seen, double percent);

}  // namespace hone
