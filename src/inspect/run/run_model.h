#pragma once
// A model on its inputs, and what comes out: the whole of `hone run`.

#include <functional>

#include "base/progress.h"
#include "inspect/run/run_inputs.h"
#include "inspect/run/summarize.h"
#include "runtime/worker.h"

namespace hone {

struct RunRequest {
  RunInputsRequest inputs;  // its plan says where the model runs
  Path labels;              // empty: those that come with the model
  std::size_t top = 5;
  Path output;  // the .npz; empty: outputs are not kept
  WorkerLimits limits;
};

struct RunHooks {
  // Once the session is open; an error ends it before anything has run.
  std::function<Status(const WorkerOpened& opened)> accept;
  ByteProgress progress;  // samples that have run, and all; 0: not known
};

// Runs every sample in a worker of its own: an EP that crashes there is an error here. Outputs are
// written when all have run; `<index>/<name>` where there is more than one sample.
Result<RunReport> run_model(const RunRequest& request, const Model& model, const RunHooks& hooks);

}  // namespace hone
