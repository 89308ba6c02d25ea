#pragma once
// A model without its weights, and the statistics to make up others.

#include <string>

#include "base/result.h"
#include "flow/watch.h"
#include "record/weights.h"
#include "record/where.h"

namespace hone {

struct StripOrder {
  std::string model;   // a file, or a folder with one
  std::string output;  // the model without weights; its statistics go beside it
  bool overwrite = false;
  std::int64_t min_bytes = 1024;  // smaller tensors stay
  Host host{};                    // whose cache has what checkpoints were exported to
};

// Tells how many bytes of all are read.
Result<StrippedModel> strip_model(const StripOrder& order, const Watch& watch);

}  // namespace hone
