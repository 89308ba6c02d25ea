#include "measure/percentile.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "base/result.h"

namespace hone {
namespace {

// The chance that at most one of `count` samples lies beyond the percentile.
double chance_of_too_few(std::uint64_t count, double share_beyond) {
  const boost::math::binomial_distribution<double> beyond(static_cast<double>(count), share_beyond);
  return boost::math::cdf(beyond, 1.0);
}

// "p99", "p99.9".
std::string name_of_percent(double percent) {
  const auto tenths = static_cast<std::int64_t>(std::llround(percent * 10));
  std::string name = "p" + std::to_string(tenths / 10);
  if (tenths % 10 != 0) name += "." + std::to_string(tenths % 10);
  return name;
}

}  // namespace

double rate_upper_bound(std::uint64_t seen, std::uint64_t trials, double confidence) {
  if (trials == 0 || seen >= trials) return 1;
  return boost::math::binomial_distribution<double>::find_upper_bound_on_p(
      static_cast<double>(trials), static_cast<double>(seen), 1 - confidence);
}

std::uint64_t samples_needed(double percent, double confidence) {
  HONE_CHECK(percent > 0 && percent < 100 && confidence > 0 && confidence < 1);
  const double share_beyond = 1 - percent / 100;
  const double allowed = 1 - confidence;
  std::uint64_t enough = 2;
  while (chance_of_too_few(enough, share_beyond) > allowed) enough *= 2;
  std::uint64_t too_few = enough / 2;
  while (too_few + 1 < enough) {
    const std::uint64_t middle = (too_few + enough) / 2;
    (chance_of_too_few(middle, share_beyond) > allowed ? too_few : enough) = middle;
  }
  return enough;
}

double quantile(std::span<const double> sorted, double percent) {
  HONE_CHECK(!sorted.empty() && percent >= 0 && percent <= 100);
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = position - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

Percentile percentile(std::span<const double> sorted, double percent) {
  Percentile result;
  result.name = name_of_percent(percent);
  const std::uint64_t needed = percent > 50 ? samples_needed(percent) : 1;
  if (sorted.size() >= needed) {
    result.value = quantile(sorted, percent);
  } else {
    result.reason = result.name + " not supported (needs " + std::to_string(needed) +
                    (needed == 1 ? " sample" : " samples") + ", have " +
                    std::to_string(sorted.size()) + ")";
  }
  return result;
}

}  // namespace hone
