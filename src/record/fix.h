#pragma once
// Which nodes have to stay in float for a quantized model to be good enough, and how that was
// found.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/comparison.h"
#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t fix_schema_version = 1;

// One set of nodes that was tried in float.
struct FixTrial {
  std::vector<std::string> float_nodes;  // in the order of their names
  double score = 0;
};
template <RecordOf<FixTrial> Self>
void for_each_field(Self& trial, auto&& field) {
  field("float_nodes", trial.float_nodes, Presence::required);
  field("score", trial.score, Presence::required);
}

// What a search has tried, in a file, so that one that was interrupted goes on.
struct FixJournal {
  std::string key;  // of the model, the recipe and the scores
  std::uint64_t nodes_quantized = 0;
  std::vector<FixTrial> trials;
  std::map<std::string, std::optional<double>> alone;  // by node; null: it has nothing to quantize
};
template <RecordOf<FixJournal> Self>
void for_each_field(Self& journal, auto&& field) {
  field("key", journal.key, Presence::required);
  field("nodes_quantized", journal.nodes_quantized, Presence::required);
  field("trials", journal.trials, Presence::required);
  field("alone", journal.alone, Presence::required);
}

struct FixResult {
  std::string score_name;  // "sqnr_db", or a metric
  double target = 0;
  double before = 0;                      // with everything quantized
  double after = 0;                       // with float_nodes in float
  std::optional<double> held_out;         // on data that chose nothing
  std::optional<double> held_out_target;  // there
  bool is_reached = false;
  std::uint64_t nodes_quantized = 0;  // before
  std::vector<std::string> float_nodes;
  std::uint64_t trials = 0;              // models that were made and run
  std::uint64_t trials_known = 0;        // of them by an earlier search
  std::optional<std::string> overrides;  // the file
  std::optional<Comparison> cost;        // against the model with everything quantized
  std::vector<std::string> notes;
};
template <RecordOf<FixResult> Self>
void for_each_field(Self& result, auto&& field) {
  field("score", result.score_name);
  field("target", result.target);
  field("before", result.before);
  field("after", result.after);
  field("held_out", result.held_out);
  field("held_out_target", result.held_out_target);
  field("reached", result.is_reached);
  field("nodes_quantized", result.nodes_quantized);
  field("float_nodes", result.float_nodes);
  field("trials", result.trials);
  field("trials_known", result.trials_known);
  field("overrides", result.overrides);
  field("cost", result.cost);
  field("notes", result.notes);
}

}  // namespace hone
