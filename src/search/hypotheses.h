#pragma once
// What is worth a try on a model and a target, and what is not and why. A source of hypotheses is
// one file in sources/ that returns a HypothesisSource, and one line in sources.inc.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/analyze.h"
#include "record/search.h"

namespace hone {

// What is known of the model and the target before anything is built.
struct Insight {
  GraphFeatures features;
  std::vector<FusionCandidate> fusions;
  std::vector<std::string> suggested;           // capabilities that fit the target, snake_case
  std::map<std::string, std::string> withheld;  // those that do not, and why
  std::optional<double> covered_share;          // of the nodes that the EP takes; null: not known
  std::optional<double> placed_share;     // of the nodes, that ran on the target; null: not known
  std::map<std::string, double> hot_ops;  // op type -> its share of the time; empty: not traced
  std::optional<double> mean_op_us;       // of an operator; null: not traced
  bool has_data = true;  // that shows whether what is quantized still answers well enough
  int cores = 1;
  std::string device = "cpu";  // cpu, gpu or npu: what the target comes to
  bool compiles_ahead = false;
  bool quantizes_itself = false;  // the EP does
  std::string quantize_preset = "ort";
  Recipe baseline;                            // with its target
  std::vector<std::string> all_capabilities;  // snake_case
  // A file of `hone debug --fix`: which nodes stay in float when others are quantized.
  std::optional<std::string> overrides;
  std::optional<InputShapes> said_sizes;  // of a checkpoint's inputs; null: not all were said
  // In which a checkpoint is written otherwise than in the opset before; null: not known.
  std::optional<std::set<std::int64_t>> distinct_opsets;
};

// What others know of a hypothesis: the place where a knowledge base is plugged in.
struct AdviceOnHypothesis {
  double priority_delta = 0;
  std::vector<std::string> findings;     // by id, that moved it
  std::optional<std::string> pruned_by;  // the finding that rules it out
  std::string reason;                    // of either
};
using HypothesisAdvisor = std::function<AdviceOnHypothesis(const Hypothesis&)>;

struct HypothesisSet {
  std::vector<Hypothesis> hypotheses;  // the baseline first, then the larger priority first
  std::vector<SkippedHypothesis> skips;
};

struct HypothesisSource {
  std::string_view name;     // kebab-case
  std::string_view summary;  // what it varies
  void (*propose)(const Insight& insight, HypothesisSet& into);
};

std::span<const HypothesisSource> all_hypothesis_sources();

// The baseline and what all sources propose. The second hypothesis of a recipe becomes a skip, and
// a pruned one a skip that names the finding. An empty advisor advises nothing.
HypothesisSet propose_hypotheses(const Insight& insight, const HypothesisAdvisor& advisor = {});

namespace sources {
#define HONE_HYPOTHESIS_SOURCE(name) HypothesisSource name();
#include "search/sources.inc"
#undef HONE_HYPOTHESIS_SOURCE
}  // namespace sources

}  // namespace hone
