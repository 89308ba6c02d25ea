#pragma once
// Models whose weights were taken out, or made up.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t weights_schema_version = 1;

struct StrippedModel {
  std::uint64_t tensors = 0;  // that were taken out
  std::uint64_t bytes = 0;
  std::string output;
  std::uint64_t model_bytes = 0;  // that are left
  std::string stats;              // the file of their statistics
};
template <RecordOf<StrippedModel> Self>
void for_each_field(Self& made, auto&& field) {
  field("tensors", made.tensors);
  field("bytes", made.bytes);
  field("output", made.output);
  field("model_bytes", made.model_bytes);
  field("stats", made.stats);
}

struct HydratedModel {
  std::uint64_t tensors = 0;  // that were filled
  std::uint64_t bytes = 0;
  std::uint64_t seed = 0;
  std::string output;
  std::vector<std::string> data_files;
};
template <RecordOf<HydratedModel> Self>
void for_each_field(Self& made, auto&& field) {
  field("tensors", made.tensors);
  field("bytes", made.bytes);
  field("seed", made.seed);
  field("output", made.output);
  field("data_files", made.data_files);
}

}  // namespace hone
