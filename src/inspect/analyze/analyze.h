#pragma once
// All that can be said of a model on a target before it is built for it.

#include <functional>

#include "inspect/coverage/rules.h"
#include "record/analyze.h"
#include "record/run_plan.h"
#include "runtime/worker.h"
#include "transform/optimize.h"

namespace hone {

struct AnalyzeJob {
  Target target;
  const NamedRules* rules = nullptr;  // what find_rules gives for the target; null: none
  // Called with the model and its inferred types, to find out about nodes that no rule speaks of.
  std::function<Status(const Model& model, CoverageFacts& facts)> probe{};
  bool looks_at_kernels = true;  // opens the model with ONNX Runtime once more when it is quantized
};

// `model` and `placement` of the record are for the caller to fill; settle_support() again
// afterwards.
Result<Analysis> analyze(const TransformTools& tools, const Model& model, const AnalyzeJob& job);

// What the EP takes, by opening and running the model on it in a worker. That it cannot be found
// out is told in the record.
Placement find_placement(const RunPlan& plan, const Path& program, const WorkerLimits& limits);

// Of the whole model: what was seen to be placed counts more than what rules say.
void settle_support(Analysis& analysis);

}  // namespace hone
