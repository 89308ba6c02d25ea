#pragma once
// A draft of a finding from what a build left behind. It holds numbers and claims nothing beyond
// them; what they mean is for a person to write.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/build.h"
#include "record/model_knowledge.h"

namespace hone {

using OpHistogram = std::map<std::string, std::uint64_t>;

// What a build folder holds, read.
struct BuildRemains {
  BuildReceipt receipt;
  std::string precision;   // of the model that was built; else what the recipe asked for
  OpHistogram ops_before;  // of the model that the optimizer was given
  OpHistogram ops_after;   // of the one that was built; empty: none was
  Recipe usual;            // the recipe hone would have chosen for this model and target
  std::optional<Placement> placement{};
  std::vector<ModelEvidence> evidence{};
};

// What the recipe says that the usual one does not, a clause each: "opset: null -> 21".
std::vector<std::string> differences_of(const Recipe& usual, const Recipe& recipe);

// Without an id. `date` is that of today.
ModelFinding draft_of(const BuildRemains& remains, const std::string& date);

}  // namespace hone
