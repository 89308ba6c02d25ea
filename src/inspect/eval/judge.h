#pragma once
// What an output is worth at a task: task.h says which tasks there are, and evaluate.h drives their
// judges and knows nothing of tasks.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/eval/task.h"
#include "record/eval.h"
#include "runtime/samples.h"

namespace hone {

struct TaskSettings {
  std::string output;      // the output that is looked at; empty: the model's first
  Path dictionary;         // text-recognition: a character per line; empty: the English one
  double threshold = 0.5;  // voice-activity: speech is above it
};

// What is counted: a line, an image, a clip. Scores are in the order of the task's metrics.
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

// The output as numbers, or what is wrong with it.
Result<std::vector<double>> numbers_of_output(const NamedTensors& outputs, const std::string& name);

}  // namespace hone
