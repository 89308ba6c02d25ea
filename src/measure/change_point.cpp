#include "measure/change_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/robust.h"

namespace hone {
namespace {

// Residuals beyond this many standard deviations cost no more: Fearnhead and Rigaill's choice.
constexpr double most_deviations = 3;
// Their penalty is 2 ln n for noise that is known and independent. Ours is estimated, and with few
// values badly: at 4 ln n a correlation of 0.5 between neighbours gives a false change in one of
// twenty series of 110 (steady_state_test), at 2 ln n in one of four.
constexpr double penalty_factor = 4;
// Beyond this, noise and a moving level cannot be told apart.
constexpr double most_correlation = 0.9;
// One value cannot be told from a spike.
constexpr std::size_t least_length = 2;

// How far v(i + step) - v(i) is from its own median, in the median: a slope is no noise.
double spread_of_differences(std::span<const double> values, std::size_t step) {
  std::vector<double> differences;
  for (std::size_t i = step; i < values.size(); ++i) {
    differences.push_back(values[i] - values[i - step]);
  }
  if (differences.empty()) return 0;
  const double slope = median(differences);
  return robust_deviation(std::move(differences), slope);
}

double loss(std::span<const double> values, double level, double noise) {
  double sum = 0;
  for (const double value : values) {
    const double deviations = std::min(std::abs(value - level) / noise, most_deviations);
    sum += deviations * deviations;
  }
  return sum;
}

// The values from a fixed beginning on, kept sorted while they grow.
class GrowingMedian {
 public:
  void add(double value) { sorted_.insert(std::ranges::upper_bound(sorted_, value), value); }
  double median() const { return median_of_sorted(sorted_); }

 private:
  std::vector<double> sorted_;
};

// For every end, the cheapest partition of what is before it: its cost and where its last segment
// begins.
struct Partition {
  std::vector<double> cost;
  std::vector<std::size_t> last_begin;
};

Partition cheapest_partition(std::span<const double> values, double noise) {
  const std::size_t count = values.size();
  const double penalty = penalty_factor * std::log(static_cast<double>(count));
  Partition best{std::vector<double>(count + 1, std::numeric_limits<double>::infinity()),
                 std::vector<std::size_t>(count + 1, 0)};
  best.cost[0] = -penalty;
  // Ends grow in the inner loop; when `begin` is reached, its own best cost is final.
  for (std::size_t begin = 0; begin + least_length <= count; ++begin) {
    if (std::isinf(best.cost[begin])) continue;
    GrowingMedian growing;
    for (std::size_t end = begin + 1; end <= count; ++end) {
      growing.add(values[end - 1]);
      if (end - begin < least_length) continue;
      const double cost = best.cost[begin] + penalty +
                          loss(values.subspan(begin, end - begin), growing.median(), noise);
      if (cost < best.cost[end]) {
        best.cost[end] = cost;
        best.last_begin[end] = begin;
      }
    }
  }
  return best;
}

}  // namespace

double noise_of(std::span<const double> values) {
  // Differences over one and over two steps have variances 2 s^2 (1 - r) and 2 s^2 (1 - r^2) where
  // r is the correlation of neighbours: their ratio tells r.
  const double one_step = spread_of_differences(values, 1);
  const double two_steps = spread_of_differences(values, 2);
  if (one_step <= 0) return 0;
  const double ratio = two_steps / one_step;
  const double correlation = std::clamp(ratio * ratio - 1, 0.0, most_correlation);
  const double deviation = one_step / std::sqrt(2 * (1 - correlation));
  return deviation * std::sqrt((1 + correlation) / (1 - correlation));
}

std::vector<Segment> find_segments(std::span<const double> values, double least_noise) {
  if (values.empty()) return {};
  if (values.size() < 2 * least_length) {
    return {{0, values.size(), median(std::vector<double>(values.begin(), values.end()))}};
  }
  const Partition best = cheapest_partition(values, std::max(noise_of(values), least_noise));
  std::vector<Segment> segments;
  for (std::size_t end = values.size(); end > 0; end = best.last_begin[end]) {
    const std::size_t begin = best.last_begin[end];
    const auto part = values.subspan(begin, end - begin);
    segments.push_back({begin, end, median(std::vector<double>(part.begin(), part.end()))});
  }
  std::ranges::reverse(segments);
  return segments;
}

}  // namespace hone
