#pragma once
// The receipt of a build: what each stage did to which bytes.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/coverage.h"
#include "record/export.h"
#include "record/fields.h"
#include "record/recipe.h"

namespace hone {

inline constexpr std::int64_t build_schema_version = 1;

enum class StageStatus {
  done,
  cached,   // its result was there: same input, settings, tool and runtime
  skipped,  // the recipe or the target does not want it
  failed,
};
constexpr auto enum_names(StageStatus) {
  return std::to_array<EnumName<StageStatus>>({{StageStatus::done, "done"},
                                               {StageStatus::cached, "cached"},
                                               {StageStatus::skipped, "skipped"},
                                               {StageStatus::failed, "failed"}});
}

struct StageReceipt {
  std::string name;
  StageStatus status = StageStatus::skipped;
  std::string reason;                   // why it was skipped or failed
  std::optional<std::string> key;       // of the cache
  std::optional<std::string> input;     // SHA-256 of the files it read
  std::optional<std::string> output;    // and of those it wrote
  std::optional<std::string> artifact;  // its model, below the build folder
  std::optional<double> elapsed_ms;
  Json effect;  // what it changed: the record of the stage's own command
};
template <RecordOf<StageReceipt> Self>
void for_each_field(Self& stage, auto&& field) {
  field("name", stage.name, Presence::required);
  field("status", stage.status, Presence::required);
  field("reason", stage.reason);
  field("key", stage.key);
  field("input", stage.input);
  field("output", stage.output);
  field("artifact", stage.artifact);
  field("elapsed_ms", stage.elapsed_ms);
  field("effect", stage.effect);
}

// One round of optimizing and analyzing, in the effect of the stage `optimize`.
struct OptimizeRound {
  std::uint64_t nodes = 0;         // of the model it made
  std::vector<std::string> added;  // the capabilities that were suggested for it and are new
};
template <RecordOf<OptimizeRound> Self>
void for_each_field(Self& round, auto&& field) {
  field("nodes", round.nodes);
  field("added", round.added);
}

// What rules say of the nodes the target's EP is given: those of the model as it came, and of the
// one that is handed over. The EP itself was not asked.
struct BuildCoverage {
  std::string ep;
  std::string device;
  std::optional<std::string> rules;              // the rule file; null: none speaks of the target
  CoverageCounts before;                         // of the model as it came
  CoverageCounts counts;                         // of the one the EP is given
  std::vector<NodeCoverage> unsupported;         // its nodes that the EP is known not to take
  std::map<std::string, std::uint64_t> unknown;  // operator -> nodes of which nothing is known
  std::vector<std::string> remedies;             // capabilities that would help
  bool is_allowed = false;                       // what is not taken was to be built all the same
};
template <RecordOf<BuildCoverage> Self>
void for_each_field(Self& coverage, auto&& field) {
  field("ep", coverage.ep);
  field("device", coverage.device);
  field("rules", coverage.rules);
  field("before", coverage.before);
  field("counts", coverage.counts);
  field("unsupported", coverage.unsupported);
  field("unknown", coverage.unknown);
  field("remedies", coverage.remedies);
  field("allowed", coverage.is_allowed);
}

struct BuildReceipt {
  std::string model;
  std::string model_sha256;                    // of its files
  std::optional<std::string> model_precision;  // "fp32", "w8a16": what it was before the build
  std::optional<ExportedFrom> exported;        // of a checkpoint: what the model was made of
  Recipe recipe;
  std::string recipe_sha256;
  std::string tool_version;
  std::string ort_version;
  std::vector<StageReceipt> stages;
  std::optional<BuildCoverage> coverage;      // null: the CPU EP, which has run the model
  std::optional<std::string> final_artifact;  // null until the build is finished
  std::optional<std::string> final_sha256;
  // The oldest ONNX Runtime that opens the result, and what in it asks for that one.
  std::optional<std::string> oldest_ort;
  std::optional<std::string> oldest_ort_because;
  std::vector<std::string> notes;
};
template <RecordOf<BuildReceipt> Self>
void for_each_field(Self& receipt, auto&& field) {
  field("model", receipt.model);
  field("model_sha256", receipt.model_sha256);
  field("model_precision", receipt.model_precision, Presence::when_given);
  field("exported", receipt.exported, Presence::when_given);
  field("recipe", receipt.recipe);
  field("recipe_sha256", receipt.recipe_sha256);
  field("tool_version", receipt.tool_version);
  field("ort_version", receipt.ort_version);
  field("stages", receipt.stages);
  field("coverage", receipt.coverage, Presence::when_given);
  field("final_artifact", receipt.final_artifact);
  field("final_sha256", receipt.final_sha256);
  field("oldest_ort", receipt.oldest_ort, Presence::when_given);
  field("oldest_ort_because", receipt.oldest_ort_because, Presence::when_given);
  field("notes", receipt.notes);
}

}  // namespace hone
