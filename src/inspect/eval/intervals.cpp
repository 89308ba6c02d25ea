#include "inspect/eval/intervals.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace hone {
namespace {

// Quantiles of the normal distribution.
constexpr double z_two_sided = 1.959963984540054;  // 97.5 %
constexpr double z_one_sided = 1.644853626951472;  // 95 %

// The ends of a 95 % interval are the 50th of 2000 means from either side: enough that another seed
// moves them by a few percent of the interval's width.
constexpr std::size_t resamples = 2000;

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

struct Ends {
  double low = 0;
  double high = 0;
};

Ends bootstrap_ends(std::span<const double> values, double share_beyond, std::uint64_t seed) {
  Random random(mix64(seed));
  std::vector<double> means(resamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
    mean = sum / static_cast<double>(values.size());
  }
  std::ranges::sort(means);
  const auto beyond = static_cast<std::size_t>(share_beyond * static_cast<double>(resamples));
  return {means[beyond], means[resamples - 1 - beyond]};
}

// Tango's statistic: how many standard errors, as they would be if the true difference were
// `assumed`, lie between that and what was seen. Falls as `assumed` grows.
double tango_score(double lost, double gained, double count, double assumed) {
  const double a = 2 * count;
  const double b = -gained - lost + (2 * count - gained + lost) * assumed;
  const double c = -lost * assumed * (1 - assumed);
  const double share_lost = (std::sqrt(std::max(0.0, b * b - 4 * a * c)) - b) / (2 * a);
  const double variance = count * (2 * share_lost + assumed * (1 - assumed));
  const double distance = gained - lost - count * assumed;
  if (variance <= 0) return distance > 0 ? HUGE_VAL : distance < 0 ? -HUGE_VAL : 0;
  return distance / std::sqrt(variance);
}

// Where the statistic is `wanted`, between two differences.
double solve_tango(double lost, double gained, double count, double wanted, Ends range) {
  // 60 halvings of an interval of at most 2 are beyond what a double tells apart.
  for (int i = 0; i < 60; ++i) {
    const double middle = (range.low + range.high) / 2;
    (tango_score(lost, gained, count, middle) > wanted ? range.low : range.high) = middle;
  }
  return (range.low + range.high) / 2;
}

// How many samples would exclude the drop if they went on as those that were seen.
std::optional<std::uint64_t> samples_to_exclude(const EvalMetric& metric, double max_drop) {
  const MetricDifference& seen = *metric.difference;
  if (seen.value <= -max_drop) return std::nullopt;
  const auto count = static_cast<double>(metric.model.samples);
  if (!seen.lost) {
    // The interval shrinks with the root of the number of samples.
    const double excess = (seen.value - seen.low) / (seen.value + max_drop);
    return static_cast<std::uint64_t>(std::ceil(count * excess * excess));
  }
  const auto excludes = [&](double times) {
    return solve_tango(static_cast<double>(*seen.lost) * times,
                       static_cast<double>(*seen.gained) * times, count * times, z_one_sided,
                       {-1, seen.value}) > -max_drop;
  };
  constexpr double most_times = 1 << 20;
  double times = 1;
  while (times < most_times && !excludes(times)) times *= 2;
  double too_few = times / 2;
  for (int i = 0; i < 20; ++i) {
    const double middle = (too_few + times) / 2;
    (excludes(middle) ? times : too_few) = middle;
  }
  return static_cast<std::uint64_t>(std::ceil(count * times));
}

}  // namespace

Estimate wilson_interval(std::uint64_t hits, std::uint64_t count) {
  const auto n = static_cast<double>(count);
  const double share = static_cast<double>(hits) / n;
  const double z2 = z_two_sided * z_two_sided;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half =
      z_two_sided / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  return {.value = share,
          .low = std::clamp(centre - half, 0.0, share),
          .high = std::clamp(centre + half, share, 1.0),
          .method = IntervalMethod::wilson,
          .samples = count};
}

Estimate bootstrap_interval(std::span<const double> values, std::uint64_t seed) {
  const Ends ends = bootstrap_ends(values, 0.025, seed);
  return {.value = mean_of(values),
          .low = ends.low,
          .high = ends.high,
          .method = IntervalMethod::bootstrap,
          .samples = values.size()};
}

MetricDifference tango_interval(std::uint64_t lost, std::uint64_t gained, std::uint64_t count) {
  const auto n = static_cast<double>(count);
  const auto b = static_cast<double>(lost);
  const auto c = static_cast<double>(gained);
  const double seen = (c - b) / n;
  return {.value = seen,
          .low = solve_tango(b, c, n, z_one_sided, {-1, seen}),
          // The lower bound with the two models swapped.
          .high = -solve_tango(c, b, n, z_one_sided, {-1, -seen}),
          .method = IntervalMethod::tango,
          .lost = lost,
          .gained = gained};
}

MetricDifference bootstrap_difference(std::span<const double> differences, std::uint64_t seed) {
  const Ends ends = bootstrap_ends(differences, 0.05, seed);
  return {.value = mean_of(differences),
          .low = ends.low,
          .high = ends.high,
          .method = IntervalMethod::bootstrap,
          .lost = std::nullopt,
          .gained = std::nullopt};
}

InferiorityVerdict judge_inferiority(const EvalMetric& metric, double max_drop) {
  InferiorityVerdict verdict{.metric = metric.name, .max_drop = max_drop, .samples_needed = {}};
  const MetricDifference& difference = *metric.difference;
  if (difference.low > -max_drop) {
    verdict.verdict = Inferiority::pass;
  } else if (difference.high < -max_drop) {
    verdict.verdict = Inferiority::fail;
  } else {
    verdict.samples_needed = samples_to_exclude(metric, max_drop);
  }
  return verdict;
}

}  // namespace hone
