#pragma once
// A command of this program as a process of its own: what crashes, hangs or is refused there is an
// outcome here.

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone::app {

struct OwnCommand {
  std::vector<std::string> words;  // "eval", "model.onnx", ...
  std::chrono::milliseconds limit{600'000};
  const std::atomic<bool>* stop = nullptr;  // ends it at once
  bool may_not_hold = false;                // exit code 3 is an answer too
};

// The document it answers with. The fault of a failure says of what kind it was; the cause, what
// the command wrote on stderr.
Result<Json> run_own(const OwnCommand& command);

// --ort and --ep-library, as they were given to this process.
std::vector<std::string> runtime_words(const Where& where);

// Where a recipe's model runs: --ep, --device, --ep-options, --threads, --session-options.
std::vector<std::string> run_words(const Recipe& recipe);

}  // namespace hone::app
