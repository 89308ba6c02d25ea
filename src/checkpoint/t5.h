#pragma once
// How T5 sees distances between tokens.

#include <cstdint>
#include <vector>

namespace hone {

struct T5Distances {
  std::int64_t buckets = 32;
  std::int64_t farthest = 128;  // all from here on are the same
  bool both_ways = true;        // encoders tell before from after; for decoders all after is here
};

// The bucket of each distance from -farthest to farthest, of a key to the query.
// REQUIRES: 4 buckets or more, half of them fewer than `farthest`.
std::vector<std::int64_t> t5_buckets(const T5Distances& distances);

}  // namespace hone
