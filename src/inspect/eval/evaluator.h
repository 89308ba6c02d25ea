#pragma once
// Evaluators: what an output is worth at a task. An evaluator is one file in evaluators/ that
// returns an Evaluator, and one line in evaluators.inc. evaluate.h drives it, and knows nothing of
// tasks.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/eval.h"
#include "runtime/samples.h"

namespace hone {

struct TaskSettings {
  std::string output;      // the output that is looked at; empty: the model's first
  Path dictionary;         // text-recognition: a character per line; empty: the English one
  double threshold = 0.5;  // voice-activity: speech is above it
};

// What is counted: a line, an image, a clip. Scores are in the order of the evaluator's metrics.
struct Unit {
  std::vector<double> scores;
  std::string expected;
  std::string got;
};

struct Judged {
  const NamedTensors& outputs;
  const NamedTensors* reference;  // the reference's outputs on the same sample, where there is one
  const Json& label;              // null where the data has none
};

// Judges the outputs of one model, in the order of the samples.
class Judge {
 public:
  Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  virtual ~Judge() = default;

  // Before the model runs on the sample: what it must be told of the samples before.
  virtual Status prepare(Sample& /*sample*/, const Json& /*label*/) { return done(); }
  // A unit, once all of its samples were seen.
  virtual Result<std::optional<Unit>> judge(const Judged& judged) = 0;
  // The unit that the end of the data completes.
  virtual std::optional<Unit> finish() { return std::nullopt; }
};

struct MetricFacts {
  std::string_view name;
  bool is_yes_no = false;  // a unit's score is 0 or 1
};

struct Evaluator {
  std::string_view name;
  std::string_view summary;
  std::vector<MetricFacts> metrics;  // the first one decides
  bool needs_labels = true;
  bool needs_reference = false;
  // `output` of the settings is that of a model.
  Result<std::unique_ptr<Judge>> (*open)(const TaskSettings& settings);
};

std::span<const Evaluator> all_evaluators();
// The one of that name; the error lists them all.
Result<Evaluator> find_evaluator(std::string_view name);

// The output as numbers, or what is wrong with it.
Result<std::vector<double>> numbers_of_output(const NamedTensors& outputs, const std::string& name);

namespace evaluators {
#define HONE_EVALUATOR(name) Evaluator name();
#include "inspect/eval/evaluators.inc"
#undef HONE_EVALUATOR
}  // namespace evaluators

}  // namespace hone
