#pragma once
// Support for a model: a recipe as a file, what was claimed of it, what was shown, and what a
// reviewer makes of that.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/comparison.h"
#include "record/eval.h"
#include "record/model_facts.h"
#include "record/publish.h"
#include "record/recipe.h"

namespace hone {

inline constexpr std::int64_t support_schema_version = 1;

// Where the model comes from. Its bytes are known by their hash; a skeleton lies in the bundle.
struct ModelSource {
  std::string file;                       // its name
  std::string sha256;                     // of the model's files, as receipts have it
  std::optional<std::string> skeleton;    // SHA-256 of a stripped model that is hydrated to it
  std::optional<std::string> statistics;  // of the file with what the weights are made from
  std::uint64_t seed = 0;                 // of the weights of a skeleton
  std::optional<std::string> checkpoint;  // the folder's name, where the model is its usual export
};
template <RecordOf<ModelSource> Self>
void for_each_field(Self& source, auto&& field) {
  field("file", source.file, Presence::required);
  field("sha256", source.sha256, Presence::required);
  field("skeleton", source.skeleton);
  field("statistics", source.statistics);
  field("seed", source.seed);
  field("checkpoint", source.checkpoint, Presence::when_given);
}

// Samples that hone makes by itself; the same everywhere where the same fonts and voices are.
struct DataRecipe {
  std::string kind;  // text-lines, digits, speech
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
};
template <RecordOf<DataRecipe> Self>
void for_each_field(Self& data, auto&& field) {
  field("kind", data.kind, Presence::required);
  field("count", data.count, Presence::required);
  field("seed", data.seed);
}

// recipes/<org>_<model>/<target>/<task>_<precision>.json
struct RecipeFile {
  std::string model;  // org/model
  std::string task;
  std::string precision;  // as the file's name has it: fp32, w8a16, ...
  ModelSource source;
  Recipe recipe;
  std::int64_t opset = 0;  // of the model that is built
  std::vector<ValueFacts> inputs;
  std::vector<ValueFacts> outputs;
  std::optional<std::string> shape_config;  // sizes for open dimensions in runs
  std::optional<DataRecipe> data;           // of the task, for L3
  std::optional<double> max_drop;           // of the task's metric
  std::string status;                       // empty, or why it is not to be used yet
};
template <RecordOf<RecipeFile> Self>
void for_each_field(Self& file, auto&& field) {
  field("model", file.model, Presence::required);
  field("task", file.task, Presence::required);
  field("precision", file.precision, Presence::required);
  field("source", file.source, Presence::required);
  field("recipe", file.recipe, Presence::required);
  field("opset", file.opset, Presence::required);
  field("inputs", file.inputs, Presence::required);
  field("outputs", file.outputs, Presence::required);
  field("shape_config", file.shape_config);
  field("data", file.data);
  field("max_drop", file.max_drop);
  field("_status", file.status);
}

enum class Tier { l0, l1, l2, l3 };
constexpr auto enum_names(Tier) {
  return std::to_array<EnumName<Tier>>(
      {{Tier::l0, "L0"}, {Tier::l1, "L1"}, {Tier::l2, "L2"}, {Tier::l3, "L3"}});
}

enum class Effort {
  l0,        // a recipe after a template
  l0_star,   // a recipe without one: it owes a finding
  l1_light,  // code in one place
  l1,        // code of its own
  l2,        // shared code
};
constexpr auto enum_names(Effort) {
  return std::to_array<EnumName<Effort>>({{Effort::l0, "L0"},
                                          {Effort::l0_star, "L0*"},
                                          {Effort::l1_light, "L1-light"},
                                          {Effort::l1, "L1"},
                                          {Effort::l2, "L2"}});
}

// What is delivered: L0 a recipe with its bundle, L1 code and findings too, L2 shared code as well.
enum class OutcomeLevel { l0, l1, l2 };
constexpr auto enum_names(OutcomeLevel) {
  return std::to_array<EnumName<OutcomeLevel>>(
      {{OutcomeLevel::l0, "L0"}, {OutcomeLevel::l1, "L1"}, {OutcomeLevel::l2, "L2"}});
}

// Said before the work, and held against it.
struct SupportClaim {
  std::string model;
  std::string task;
  Effort effort = Effort::l0;
  Tier goal = Tier::l2;
  OutcomeLevel outcome = OutcomeLevel::l0;
  std::optional<std::string> recipe_template;  // L0: the recipe it was made after
  std::vector<std::string> changes;            // files of the repository that the support touches
};
template <RecordOf<SupportClaim> Self>
void for_each_field(Self& claim, auto&& field) {
  field("model", claim.model, Presence::required);
  field("task", claim.task, Presence::required);
  field("effort", claim.effort, Presence::required);
  field("goal", claim.goal, Presence::required);
  field("outcome", claim.outcome, Presence::required);
  field("template", claim.recipe_template);
  field("changes", claim.changes);
}

enum class TierVerdict { pass, fail, cli_blocked, host_blocked, timeout };
constexpr auto enum_names(TierVerdict) {
  return std::to_array<EnumName<TierVerdict>>({{TierVerdict::pass, "pass"},
                                               {TierVerdict::fail, "fail"},
                                               {TierVerdict::cli_blocked, "cli-blocked"},
                                               {TierVerdict::host_blocked, "host-blocked"},
                                               {TierVerdict::timeout, "timeout"}});
}

// L0: one thing that was looked at in what was built.
struct StructureCheck {
  std::string name;
  bool holds = false;
  std::string detail;  // what was found
};
template <RecordOf<StructureCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("name", check.name, Presence::required);
  field("holds", check.holds, Presence::required);
  field("detail", check.detail);
}

struct StructureProof {
  std::string model_sha256;  // of what was built
  std::int64_t opset = 0;
  std::uint64_t nodes = 0;
  std::map<std::string, std::uint64_t> weight_bytes;  // by element type
  std::vector<StructureCheck> checks;
};
template <RecordOf<StructureProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("model_sha256", proof.model_sha256, Presence::required);
  field("opset", proof.opset, Presence::required);
  field("nodes", proof.nodes, Presence::required);
  field("weight_bytes", proof.weight_bytes, Presence::required);
  field("checks", proof.checks, Presence::required);
}

// Whose fault it is that a target does not run the model.
enum class RunClass { ran, host, packaging, recipe };
constexpr auto enum_names(RunClass) {
  return std::to_array<EnumName<RunClass>>({{RunClass::ran, "ran"},
                                            {RunClass::host, "host"},
                                            {RunClass::packaging, "packaging"},
                                            {RunClass::recipe, "recipe"}});
}

// L1: one target.
struct RunProof {
  Target target;
  RunClass kind = RunClass::host;
  std::string reason;  // why it did not run
  std::optional<double> p50_ms;
  std::optional<double> p90_ms;
  std::optional<double> p99_ms;  // where enough runs support it
  std::uint64_t runs = 0;
  std::optional<double> placement;  // the share of nodes that ran on the target
  std::optional<std::uint64_t> peak_bytes;
  std::optional<Comparison> speed;  // against the model as it came, without the samples
};
template <RecordOf<RunProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("target", proof.target, Presence::required);
  field("class", proof.kind, Presence::required);
  field("reason", proof.reason);
  field("p50_ms", proof.p50_ms);
  field("p90_ms", proof.p90_ms);
  field("p99_ms", proof.p99_ms);
  field("runs", proof.runs);
  field("placement", proof.placement);
  field("peak_bytes", proof.peak_bytes);
  field("speed", proof.speed);
}

// L2: every output against the reference's.
struct ParityProof {
  double least_cosine = 0;
  std::uint64_t seed = 0;
  std::uint64_t samples = 0;
  std::vector<OutputComparison> outputs;
};
template <RecordOf<ParityProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("least_cosine", proof.least_cosine, Presence::required);
  field("seed", proof.seed);
  field("samples", proof.samples, Presence::required);
  field("outputs", proof.outputs, Presence::required);
}

// L3: the task's metric beside the reference's.
struct TaskProof {
  EvalMetric metric;
  double max_drop = 0;
  std::uint64_t samples = 0;
  std::string data_sha256;  // of the labelled samples
  // How samples became inputs and outputs answers, as in EvalReport: the claim is of these.
  std::optional<std::map<std::string, std::string>> processing{};
};
template <RecordOf<TaskProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("metric", proof.metric, Presence::required);
  field("max_drop", proof.max_drop, Presence::required);
  field("samples", proof.samples, Presence::required);
  field("data_sha256", proof.data_sha256, Presence::required);
  field("processing", proof.processing, Presence::when_given);
}

struct TierProof {
  Tier tier = Tier::l0;
  TierVerdict verdict = TierVerdict::fail;
  std::string reason;                 // of anything but a pass
  std::vector<std::string> commands;  // that repeat it, from inside the bundle
  std::optional<StructureProof> structure;
  std::vector<RunProof> runs;
  std::optional<ParityProof> parity;
  std::optional<TaskProof> task;
};
template <RecordOf<TierProof> Self>
void for_each_field(Self& proof, auto&& field) {
  field("tier", proof.tier, Presence::required);
  field("verdict", proof.verdict, Presence::required);
  field("reason", proof.reason);
  field("commands", proof.commands);
  field("structure", proof.structure);
  field("runs", proof.runs);
  field("parity", proof.parity);
  field("task", proof.task);
}

struct Ladder {
  std::string recipe_sha256;  // of the recipe inside the recipe's file
  std::string source_sha256;
  std::string tool_version;
  std::string ort_version;
  std::map<std::string, std::string> machine;
  std::vector<TierProof> tiers;
};
template <RecordOf<Ladder> Self>
void for_each_field(Self& ladder, auto&& field) {
  field("recipe_sha256", ladder.recipe_sha256, Presence::required);
  field("source_sha256", ladder.source_sha256, Presence::required);
  field("tool_version", ladder.tool_version, Presence::required);
  field("ort_version", ladder.ort_version, Presence::required);
  field("machine", ladder.machine);
  field("tiers", ladder.tiers, Presence::required);
}

// A row of the index of a catalog.
struct IndexRow {
  std::string model;
  std::string task;
  std::string target;
  std::string precision;
  std::string recipe;  // its path
  std::optional<Tier> reached;
};
template <RecordOf<IndexRow> Self>
void for_each_field(Self& row, auto&& field) {
  field("model", row.model, Presence::required);
  field("task", row.task, Presence::required);
  field("target", row.target, Presence::required);
  field("precision", row.precision, Presence::required);
  field("recipe", row.recipe, Presence::required);
  field("reached", row.reached);
}

// What was built, file by file. The files themselves need not be in the bundle.
struct ArtifactList {
  std::vector<PackageEntry> files;
};
template <RecordOf<ArtifactList> Self>
void for_each_field(Self& list, auto&& field) {
  field("files", list.files, Presence::required);
}

// What the work taught about the way it is done; "nothing" must be said, too.
struct MethodNotes {
  std::vector<std::string> surprises;
  bool without_friction = false;
};
template <RecordOf<MethodNotes> Self>
void for_each_field(Self& notes, auto&& field) {
  field("surprises", notes.surprises, Presence::required);
  field("without_friction", notes.without_friction, Presence::required);
}

// manifest.json of a bundle: every file but itself.
struct BundleManifest {
  std::string model;
  std::string task;
  std::vector<PackageEntry> files;
};
template <RecordOf<BundleManifest> Self>
void for_each_field(Self& manifest, auto&& field) {
  field("model", manifest.model, Presence::required);
  field("task", manifest.task, Presence::required);
  field("files", manifest.files, Presence::required);
}

}  // namespace hone
