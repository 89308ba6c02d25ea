#pragma once
// What a model is, without running it.

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "flow/watch.h"
#include "record/model_facts.h"
#include "record/where.h"

namespace hone {

inline constexpr std::int64_t inspect_schema_version = 1;

// Of a file, or of a folder with one. Weights are not read.
Result<ModelFacts> facts_of_model(const std::string& given, const Host& host);

// The same as a job: a stranger's model is read where it can break nothing.
struct InspectOrder {
  static constexpr std::string_view job = "inspect";
  using Answer = ModelFacts;

  std::string model;
  bool quantization = false;  // lists every quantized tensor
  bool content = false;       // adds a fingerprint of the weights, which reads all of them
  Host host{};                // whose cache has what checkpoints were exported to
};
template <RecordOf<InspectOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("quantization", order.quantization);
  field("content", order.content);
  field("host", order.host);
}
Result<ModelFacts> inspect_model(const InspectOrder& order, const Watch& watch);

}  // namespace hone
