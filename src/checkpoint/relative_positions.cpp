#include "checkpoint/relative_positions.h"

#include <algorithm>
#include <cmath>

namespace hone {

// In float32, as torch counts them.
std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance) {
  const std::int64_t half = buckets / 2;
  const std::int64_t exact = half / 2;
  const std::int64_t begin = distance > 0 ? half : 0;
  const std::int64_t far = std::abs(distance);
  if (far < exact) return begin + far;
  const float share = static_cast<float>(far) / static_cast<float>(exact);
  const double whole = std::log(static_cast<double>(max_distance) / static_cast<double>(exact));
  const float logarithm = std::log(share) / static_cast<float>(whole);
  const auto more = static_cast<std::int64_t>(logarithm * static_cast<float>(half - exact));
  return begin + std::min(exact + more, half - 1);
}

std::int64_t deberta_bucket(std::int64_t distance, std::int64_t buckets,
                            std::int64_t max_distance) {
  const std::int64_t middle = buckets / 2;
  const std::int64_t far = std::abs(distance);
  if (far <= middle) return distance;
  const float share = static_cast<float>(far) / static_cast<float>(middle);
  const double end = static_cast<double>(max_distance - 1) / static_cast<double>(middle);
  const float logarithm = std::log(share) / std::log(static_cast<float>(end));
  const auto more =
      static_cast<std::int64_t>(std::ceil(logarithm * static_cast<float>(middle - 1)));
  return distance < 0 ? -(middle + more) : middle + more;
}

std::optional<std::vector<std::int64_t>> deberta_rows(std::int64_t buckets,
                                                      std::int64_t max_distance,
                                                      std::int64_t most) {
  // With a middle of one, what is farther than it has no logarithm that grows.
  std::vector<std::int64_t> after;
  std::int64_t bucket = 0;
  for (std::int64_t far = 0; bucket < buckets && (buckets > 3 || far < 3); ++far) {
    if (far > most) return std::nullopt;
    bucket = deberta_bucket(far, buckets, max_distance);
    after.push_back(bucket);
  }
  std::vector<std::int64_t> rows;
  for (auto at = after.rbegin(); at != after.rend(); ++at) rows.push_back(buckets - *at);
  for (auto at = after.begin() + 1; at != after.end(); ++at) rows.push_back(buckets + *at);
  for (std::int64_t& row : rows) row = std::clamp<std::int64_t>(row, 0, 2 * buckets - 1);
  return rows;
}

}  // namespace hone
