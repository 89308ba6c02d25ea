#include "checkpoint/t5.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// Distances below half of the buckets have one each, those above share them by their logarithm. In
// float32 as transformers computes it: with the logarithms of powers of two a bucket hangs on a
// bit.
std::int64_t bucket_of(std::int64_t distance, std::int64_t buckets, std::int64_t farthest) {
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return distance;
  const float ratio = static_cast<float>(distance) / static_cast<float>(exact);
  const double whole = std::log(static_cast<double>(farthest) / static_cast<double>(exact));
  const float share = std::log(ratio) / static_cast<float>(whole);
  const auto more = static_cast<std::int64_t>(share * static_cast<float>(buckets - exact));
  return std::min(exact + more, buckets - 1);
}

}  // namespace

std::vector<std::int64_t> t5_buckets(const T5Distances& distances) {
  const std::int64_t each_way = distances.both_ways ? distances.buckets / 2 : distances.buckets;
  std::vector<std::int64_t> buckets;
  for (std::int64_t at = -distances.farthest; at <= distances.farthest; ++at) {
    if (distances.both_ways) {
      const std::int64_t start = at > 0 ? each_way : 0;
      buckets.push_back(start + bucket_of(std::abs(at), each_way, distances.farthest));
    } else {
      buckets.push_back(bucket_of(std::max<std::int64_t>(-at, 0), each_way, distances.farthest));
    }
  }
  return buckets;
}

}  // namespace hone
