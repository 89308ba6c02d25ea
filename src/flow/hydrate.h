#pragma once
// Weights for a model that was stripped: normal numbers of the statistics that were kept.

#include <string>

#include "base/result.h"
#include "flow/watch.h"
#include "record/weights.h"
#include "record/where.h"

namespace hone {

struct HydrateOrder {
  static constexpr std::string_view job = "hydrate";
  using Answer = HydratedModel;

  std::string model;       // a file, or a folder with one
  std::string statistics;  // empty: those beside the model
  std::string output;      // the model with weights; its data file goes beside it
  bool overwrite = false;
  std::uint64_t seed = 0;
  std::int64_t threads = 2;  // that make numbers
  Host host{};               // whose cache has what checkpoints were exported to
};
template <RecordOf<HydrateOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("statistics", order.statistics);
  field("output", order.output, Presence::required);
  field("overwrite", order.overwrite);
  field("seed", order.seed);
  field("threads", order.threads);
  field("host", order.host);
}

// Tells how many bytes of all are written.
Result<HydratedModel> hydrate_model(const HydrateOrder& order, const Watch& watch);

}  // namespace hone
