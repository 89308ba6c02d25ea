#pragma once
// Where a series changes its level.

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

// A run of values around one level; the segments of a series follow each other without gaps.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;  // one past the last
  double level = 0;     // the median
  std::size_t length() const { return end - begin; }
};

// The noise of a series whose level changes seldom: from the differences of neighbours, by their
// median, so that neither steps nor spikes count. Where neighbours are correlated it is the larger
// long-run deviation, the one that says how far the mean of a stretch may be off. 0 for fewer than
// two values.
double noise_of(std::span<const double> values);

// The best piecewise constant fit: optimal partitioning under a biweight loss, which is the square
// of the residual up to three times the noise and does not grow beyond (Fearnhead and Rigaill,
// Changepoint detection in the presence of outliers, 2019), so that a spike cannot buy a segment of
// its own. Every further segment must improve the fit by a penalty that grows with ln n. Noise is
// taken as at least `least_noise`. Time grows with the cube of the number of values: hand in block
// medians, a few hundred at most.
std::vector<Segment> find_segments(std::span<const double> values, double least_noise);

}  // namespace hone
