#pragma once
// Taking the weights out of a model: what stays is the structure and statistics to make up others.

#include <cstdint>
#include <string>

#include "base/progress.h"
#include "model/model.h"
#include "model/weights/stats.h"

namespace hone {

struct StripOptions {
  std::string name = {};           // of the model; its data is in "<name>.weights"
  std::uint64_t min_bytes = 1024;  // smaller tensors stay: a scale or an epsilon says no secret
  ByteProgress progress = {};
};

// Whether a tensor of this type is taken out: floats and integers of at most 16 bits are weights;
// wider integers are shapes, indices and masks, without which a structure makes no sense.
bool is_strippable(ElementType type);

// Replaces the large weights of initializers and Constant nodes by references to "<name>.weights",
// which need not exist, and brings what stays into the model file. Fails when a weight is absent or
// two weights have the same name.
Result<WeightStats> strip_weights(Model& model, const StripOptions& options);

// Writes the stripped model, and its statistics beside it (stats_path_for). Whenever we are killed,
// find_stats finds those that belong to the model that is there, the old or the new one.
Result<SaveReport> save_stripped(const Model& model, const WeightStats& stats, const Path& path,
                                 bool overwrite);

}  // namespace hone
