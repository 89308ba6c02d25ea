#pragma once
// What `hone optimize` did to a model, and how it was checked.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t optimize_schema_version = 1;

// What there is to switch on or off.
struct CapabilityFacts {
  std::string name;  // in snake_case
  std::string category;
  std::string summary;
  std::string source;  // "onnxruntime", "hone" or both
};
template <RecordOf<CapabilityFacts> Self>
void for_each_field(Self& facts, auto&& field) {
  field("name", facts.name);
  field("category", facts.category);
  field("summary", facts.summary);
  field("source", facts.source);
}

struct CapabilityList {
  std::vector<CapabilityFacts> capabilities;  // those of a category stand together
};
template <RecordOf<CapabilityList> Self>
void for_each_field(Self& list, auto&& field) {
  field("capabilities", list.capabilities);
}

struct DeclinedNode {
  std::string node;
  std::string reason;
};
template <RecordOf<DeclinedNode> Self>
void for_each_field(Self& declined, auto&& field) {
  field("node", declined.node);
  field("reason", declined.reason);
}

struct CapabilityEffect {
  std::string source;       // "onnxruntime", "hone" or both
  bool asked = false;       // by name; else it is on by default or because another one needs it
  bool changed = false;     // without it the result would be another one
  std::uint64_t fused = 0;  // rewrites of a pass; for ONNX Runtime's the nodes that went
  std::vector<DeclinedNode> declined;
  std::optional<std::string> left_out_because;  // it was asked for, and breaks the model
};
template <RecordOf<CapabilityEffect> Self>
void for_each_field(Self& effect, auto&& field) {
  field("source", effect.source);
  field("asked", effect.asked);
  field("changed", effect.changed);
  field("fused", effect.fused);
  field("declined", effect.declined);
  field("left_out_because", effect.left_out_because);
}

// One output of two models on the same inputs.
struct OutputDifference {
  std::string output;
  bool is_equal = false;           // bit for bit, on every sample
  std::optional<double> max_abs;   // the largest difference; null for what is no number
  std::optional<double> relative;  // max_abs by the largest magnitude of the reference
  std::optional<double> sqnr_db;   // of the reference to the difference; null when equal
  // Where `relative` is beyond the tolerance, of the sample that is nearest to its bound (then
  // sqnr_db is of that sample too): the signal to the rounding noise of the source itself.
  std::optional<double> own_sqnr_db;
  std::optional<std::uint64_t> judged;  // samples that can tell; null: the tolerance sufficed
};
template <RecordOf<OutputDifference> Self>
void for_each_field(Self& difference, auto&& field) {
  field("output", difference.output);
  field("equal", difference.is_equal);
  field("max_abs", difference.max_abs);
  field("relative", difference.relative);
  field("sqnr_db", difference.sqnr_db);
  field("own_sqnr_db", difference.own_sqnr_db);
  field("judged", difference.judged);
}

struct Verification {
  bool holds = false;
  std::string promise;              // "bitwise", "close", "relaxed"
  std::optional<double> tolerance;  // of `relative`; null for bitwise
  // Where the tolerance does not suffice, an output may be as noisy as the source itself is, and
  // `margin_db` more: its noise is what the outputs move when the last bits of inputs and weights
  // are flipped, and those before a quantizer. A sample with less than `least_own_db` to that noise
  // tells nothing.
  std::optional<double> margin_db;
  std::optional<double> least_own_db;
  bool is_undecided = false;  // no sample can tell of an output that differs
  std::uint64_t samples = 0;
  std::vector<OutputDifference> outputs;
};
template <RecordOf<Verification> Self>
void for_each_field(Self& verification, auto&& field) {
  field("holds", verification.holds);
  field("promise", verification.promise);
  field("tolerance", verification.tolerance);
  field("margin_db", verification.margin_db);
  field("least_own_db", verification.least_own_db);
  field("undecided", verification.is_undecided);
  field("samples", verification.samples);
  field("outputs", verification.outputs);
}

struct OptimizeReport {
  std::string model;
  std::optional<std::string> output;
  std::vector<std::string> data_files;  // beside the output, when the weights are not in it
  std::uint64_t nodes_before = 0;
  std::uint64_t nodes_after = 0;
  std::uint64_t bytes_before = 0;  // of weights
  std::uint64_t bytes_after = 0;
  std::map<std::string, std::int64_t> op_changes;  // op -> how many more; those that differ
  std::map<std::string, CapabilityEffect> capabilities;
  std::optional<Verification> verified;  // null when it was not asked for
  std::vector<std::string> notes;
};
template <RecordOf<OptimizeReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("output", report.output);
  field("data_files", report.data_files);
  field("nodes_before", report.nodes_before);
  field("nodes_after", report.nodes_after);
  field("bytes_before", report.bytes_before);
  field("bytes_after", report.bytes_after);
  field("op_changes", report.op_changes);
  field("capabilities", report.capabilities);
  field("verified", report.verified);
  field("notes", report.notes);
}

// What each capability alone would change.
struct CapabilityCheck {
  std::string capability;
  bool changes = false;
  std::int64_t nodes_delta = 0;
  std::map<std::string, std::int64_t> op_changes;
  std::vector<DeclinedNode> declined;
  std::optional<std::string> error;  // why it could not be tried
};
template <RecordOf<CapabilityCheck> Self>
void for_each_field(Self& check, auto&& field) {
  field("capability", check.capability);
  field("changes", check.changes);
  field("nodes_delta", check.nodes_delta);
  field("op_changes", check.op_changes);
  field("declined", check.declined);
  field("error", check.error);
}

// Which of ONNX Runtime's optimizers breaks a model or its numbers.
struct BisectSuspect {
  std::string optimizer;
  std::string level;                       // the lowest at which it matters
  bool fails = false;                      // the session does not open or run with it
  std::optional<double> relative;          // the difference with all optimizers of the level
  std::optional<double> relative_without;  // and with this one off
  std::string detail;
};
template <RecordOf<BisectSuspect> Self>
void for_each_field(Self& suspect, auto&& field) {
  field("optimizer", suspect.optimizer);
  field("level", suspect.level);
  field("fails", suspect.fails);
  field("relative", suspect.relative);
  field("relative_without", suspect.relative_without);
  field("detail", suspect.detail);
}

struct BisectLevel {
  std::string level;
  std::optional<double> relative;  // the largest over outputs; null when it failed
  bool is_well = false;            // the outputs are within what is allowed
  std::optional<std::string> error;
};
template <RecordOf<BisectLevel> Self>
void for_each_field(Self& level, auto&& field) {
  field("level", level.level);
  field("relative", level.relative);
  field("well", level.is_well);
  field("error", level.error);
}

struct BisectReport {
  std::string model;
  double tolerance = 0;
  std::vector<BisectLevel> levels;
  std::vector<BisectSuspect> suspects;
  std::vector<std::string> together;  // nobody alone, but these together
  std::uint64_t steps = 0;            // sessions that were opened
  bool is_interrupted = false;        // what is known so far
};
template <RecordOf<BisectReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("model", report.model);
  field("tolerance", report.tolerance);
  field("levels", report.levels);
  field("suspects", report.suspects);
  field("together", report.together);
  field("steps", report.steps);
  field("interrupted", report.is_interrupted);
}

}  // namespace hone
