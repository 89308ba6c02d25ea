#pragma once
// A model at its task: its metrics with intervals, and beside a reference whether it is no worse.

#include <functional>
#include <vector>

#include "base/progress.h"
#include "inspect/eval/eval_data.h"
#include "inspect/eval/judge.h"

namespace hone {

// Which samples count. What chose between models must not judge the one that was chosen: even ones
// may choose, and odd ones judge.
enum class SampleShare { all, even, odd };

struct EvaluateRequest {
  Task task;
  TaskSettings settings;
  std::optional<double> max_drop;  // REQUIRES a reference
  std::uint64_t seed = 0;          // of the bootstrap
  SampleShare share = SampleShare::all;
  ByteProgress progress;  // samples done and in all
};

// What is judged: outputs for a sample. A session is one, and so are several that write a text.
struct Answerer {
  std::vector<Port> outputs;
  std::function<Result<NamedTensors>(const Sample& sample)> answer;
};
// REQUIRES that the session outlives it.
Answerer answerer_of(const Session& session);

// Fills what is measured of the report. One sample at a time: what is kept of it are its scores.
Status evaluate(const Answerer& model, const Answerer* reference, EvalData& data,
                const EvaluateRequest& request, EvalReport& report);
Status evaluate(const Session& model, const Session* reference, EvalData& data,
                const EvaluateRequest& request, EvalReport& report);

}  // namespace hone
