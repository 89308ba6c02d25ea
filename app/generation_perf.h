#pragma once
// `hone perf --generate`: how long a person waits for a model that writes.

#include <string>

#include "app/call.h"
#include "app/options.h"
#include "base/result.h"
#include "flow/perf.h"

namespace hone::app {

struct GenerationArguments {
  bool is_asked = false;
  std::string prompts;  // "16,128"
  std::string outputs;
};

void declare_generation(Options& options, GenerationArguments& arguments);
// "1,2,4" as numbers from 1 to `most`, each once.
Result<std::vector<std::int64_t>> read_list(const std::string& text, const std::string& option,
                                            std::int64_t most);
// What --generate without --sessions takes: one process says nothing of its interval.
inline constexpr std::int64_t usual_generation_sessions = 5;
// Measures and answers; the document.
Result<Json> measure_waiting(const GenerationArguments& arguments, const PerfOrder& order,
                             const Call& call);

}  // namespace hone::app
