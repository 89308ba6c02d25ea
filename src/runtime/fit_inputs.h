#pragma once
// Inputs that a model runs on. The graph does not always say which sizes it takes, so a guess is
// tried, and where it fails, sizes that are usual for such a model are, until one runs.

#include <functional>
#include <string>
#include <vector>

#include "record/run_plan.h"
#include "runtime/close_inputs.h"

namespace hone {

// What a model was found to run on.
struct FittedInputs {
  ShapeRules rules{};                // close everything; what the user gave is part of them
  std::vector<std::string> notes{};  // what was assumed, and what was tried before it
};

// Runs the model once on inputs that these rules close.
using InputTrial = std::function<Status(const ShapeRules& rules)>;

// Tries at most some tens of sizes, the likely and small ones first; always the same in the same
// order. The trial is not asked where nothing had to be assumed. A first guess that does not end in
// the time of a trial is taken, with a note. Fails with what the model said of the first guess when
// none of them runs.
Result<FittedInputs> fit_inputs(const std::vector<Port>& ports, const ShapeRules& rules,
                                const InputFacts& facts, const InputTrial& trial);

// The same for the model of a plan, in workers: a size that crashes one costs a worker. Without
// graph optimizations and, where they are large, without its weights. What cannot be opened so
// (a model for a device that is not here) is not tried.
Result<FittedInputs> fit_inputs(const RunPlan& plan, const Path& program);

}  // namespace hone
