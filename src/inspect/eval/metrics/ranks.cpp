#include "inspect/eval/metrics/ranks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace hone {
namespace {

// Twice the mean rank, so that it is a whole number; weights stand for equal values.
std::vector<double> ranks_of(std::span<const double> values, std::span<const std::uint32_t> times) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  double below = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    double equal = 0;
    for (; end < order.size() && values[order[end]] == values[order[first]]; ++end)
      equal += times.empty() ? 1 : times[order[end]];
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = 2 * below + equal + 1;
    below += equal;
    first = end;
  }
  return ranks;
}

double discounted(std::span<const double> gains, std::size_t places) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(places, gains.size()); ++i)
    sum += gains[i] / std::log2(static_cast<double>(i) + 2);
  return sum;
}

}  // namespace

double spearman(std::span<const double> a, std::span<const double> b,
                std::span<const std::uint32_t> times) {
  const std::vector<double> first = ranks_of(a, times);
  const std::vector<double> second = ranks_of(b, times);
  const auto weight = [&](std::size_t i) { return times.empty() ? 1.0 : times[i]; };
  double count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += weight(i);
  const double mean = count + 1;  // of twice the rank
  double product = 0;
  double first_square = 0;
  double second_square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = first[i] - mean;
    const double y = second[i] - mean;
    product += weight(i) * x * y;
    first_square += weight(i) * x * x;
    second_square += weight(i) * y * y;
  }
  const double both = first_square * second_square;
  return both > 0 ? product / std::sqrt(both) : 0;
}

double recall_at(std::span<const double> gains, std::size_t relevant, std::size_t places) {
  if (relevant == 0) return 0;
  const auto found = std::ranges::count_if(gains.first(std::min(places, gains.size())),
                                           [](double gain) { return gain > 0; });
  return static_cast<double>(found) / static_cast<double>(relevant);
}

double ndcg_at(std::span<const double> gains, std::vector<double> all_gains, std::size_t places) {
  std::ranges::sort(all_gains, std::greater<>());
  const double best = discounted(all_gains, places);
  return best > 0 ? discounted(gains, places) / best : 0;
}

}  // namespace hone
