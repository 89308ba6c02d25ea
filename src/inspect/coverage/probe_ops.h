#pragma once
// Finding out by running: a node, cut out as a model of its own, opened and run on a target with
// nothing to fall back to, in a worker.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "record/coverage.h"
#include "runtime/worker.h"

namespace hone {

// The node with what it is given: inputs by their types, constants by their values, and for a
// quantized node the DequantizeLinear before and the QuantizeLinear behind it. Names are ours, so
// that equal nodes give equal models. Fails for what cannot stand alone: a node with subgraphs, or
// one whose inputs have no known type.
Result<Model> cut_out(const Model& model, const Node& node);

struct OpProbeJob {
  RunPlan run;  // target, libraries, options; its model is not looked at
  Path program;
  WorkerLimits limits{.open = std::chrono::seconds(60)};  // one op is no model
  std::vector<std::pair<std::string, std::string>> environment;
  std::function<void(const std::string& step)> progress = [](const std::string&) {};
};

// What came of a one-op model.
struct ProbedOp {
  Support status = Support::unknown;
  std::string reason{};
  std::string ort_version{};  // empty when no session was opened
  bool was_expanded = false;  // it ran as the ops that define it, which is another matter per opset
};

// Keeps one worker for many models, and starts another when one is gone.
class OpProber {
 public:
  static Result<OpProber> create(OpProbeJob job);
  // unknown: it took too long, or the model does not run on the CPU EP either, so that nothing is
  // learned of the target.
  Result<ProbedOp> probe(const Model& model);

 private:
  OpProber(OpProbeJob job, TemporaryFolder folder)
      : job_(std::move(job)), folder_(std::move(folder)) {}
  Result<WorkerOpened> open(const Path& file, const Target& target);
  OpProbeJob job_;
  TemporaryFolder folder_;
  std::optional<Worker> worker_;
};

// Answers for the unknown nodes of `facts`, which must be of this model; equal ones are run once.
Status run_unknown_ops(const Model& model, OpProbeJob job, CoverageFacts& facts);

}  // namespace hone
