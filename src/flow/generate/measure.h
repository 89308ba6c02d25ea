#pragma once
// How long a person waits for a model that writes, measured from fresh processes.

#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/generation_perf.h"
#include "record/where.h"

namespace hone {

// In one process: every size in turn, once for nothing and then `repeats` times.
struct GenerationTrialOrder {
  static constexpr std::string_view job = "generation_trial";
  using Answer = GenerationTrial;

  std::string model;
  std::vector<GenerationSizes> sizes;
  std::int64_t repeats = 3;
  std::uint64_t seed = 0;  // of the prompts' tokens
  Where where;
};
template <RecordOf<GenerationTrialOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("sizes", order.sizes, Presence::required);
  field("repeats", order.repeats);
  field("seed", order.seed);
  field("where", order.where);
}

// Nothing ends a text but its size. What is longer than the model's context is refused.
Result<GenerationTrial> try_generation(const GenerationTrialOrder& order, const Watch& watch);

struct GenerationPerfOrder {
  GenerationTrialOrder trial;
  std::int64_t sessions = 5;
  std::int64_t timeout_s = 300;  // of a session
  std::string repeat;            // the command line that repeats it
};
Result<GenerationPerf> measure_generation(const GenerationPerfOrder& order, const Watch& watch);

}  // namespace hone
