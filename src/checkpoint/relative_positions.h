#pragma once
// Buckets of relative positions: near ones one by one, far ones by the logarithm of how far. They
// are counted here and not in the graph, where a logarithm that is off in its last bit would put
// the distances at the borders into another bucket.

#include <cstdint>
#include <optional>
#include <vector>

namespace hone {

// T5's, for both directions: of a key that is `distance` after its query. From 0 to buckets - 1.
// REQUIRES: buckets >= 4 and max_distance > buckets / 4.
std::int64_t t5_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance);

// DeBERTa v2's, of a query that is `distance` after a key: below buckets / 2 the distance itself,
// and some -buckets + 1 to buckets - 1 up to max_distance. Beyond, it goes on.
// REQUIRES: buckets >= 2 and max_distance - 1 > buckets / 2.
std::int64_t deberta_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance);

// Rows of DeBERTa v2's table of 2 * buckets rows for the distances -n to n, where all that are
// farther have the rows of n. Nothing where n would be more than `most`.
std::optional<std::vector<std::int64_t>> deberta_rows(std::int64_t buckets,
                                                      std::int64_t max_distance, std::int64_t most);

}  // namespace hone
