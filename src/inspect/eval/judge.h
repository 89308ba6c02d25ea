#pragma once
// What an output is worth at a task: task.h says which tasks there are, and evaluate.h drives their
// judges and knows nothing of tasks.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/eval/task.h"
#include "record/eval.h"
#include "runtime/samples.h"

namespace hone {

namespace tokenize {
class Tokenizer;
}

struct TaskSettings {
  std::string output;      // the output that is looked at; empty: the model's first
  Path dictionary;         // text-recognition: a character per line; empty: the English one
  double threshold = 0.5;  // voice-activity: speech is above it
  double overlap = 0.7;    // boxes: of two of a class that overlap by more, the better one is kept
  std::string pooling = "mean";            // of token vectors to one of a text: mean, cls or max
  bool may_be_unanswered = false;          // question-answering: no answer may be one
  std::vector<std::string> class_names{};  // of the model, by class, where they are known
  std::vector<std::string> outputs{};      // all that the model has
  std::vector<std::string> characters{};   // speech-recognition: by class, from vocab.json
  // Of ids to text, where the task's answers are text.
  std::shared_ptr<const tokenize::Tokenizer> tokenizer{};
};

// What is counted: a line, an image, a clip. Scores are in the order of the task's metrics.
struct Unit {
  std::vector<double> scores;
  std::string expected;
  std::string got;
  std::vector<double> facts{};  // for figures that are no means
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
  // The units that the end of the data completes.
  virtual std::vector<Unit> finish() { return {}; }
  // How outputs become answers: "largest score", "CTC, greedy".
  virtual std::map<std::string, std::string> described() const { return {}; }
};

// A judge that takes whatever the settings say.
template <class Made>
Result<std::unique_ptr<Judge>> open_judge(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<Made>(settings));
}

// The output as numbers, or what is wrong with it.
Result<std::vector<double>> numbers_of_output(const NamedTensors& outputs, const std::string& name);

}  // namespace hone
