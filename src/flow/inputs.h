#pragma once
// Inputs that a command makes up: what the user says about them is checked before any work, and
// what nobody says is found once, so that all a command starts run on the same.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/run_plan.h"
#include "record/where.h"

namespace hone {

struct SettledInputs {
  std::string shape_config;        // closes everything that is open, as --shape-config does
  std::vector<std::string> notes;  // what was assumed, and what did not run
};

// Refuses names that no model has, and shapes they do not take.
Status check_inputs(const std::string& shape_config, const std::vector<Path>& models);

// For the model of the plan, by its seed, batch size and shape_config; the names in that may be
// those of other models of the command too. What the plan's input data gives is not made up.
// Sizes are tried in workers of the host's program.
Result<SettledInputs> settle_inputs(const RunPlan& plan, const Host& host,
                                    const std::vector<Path>& others = {});

// The same for commands that have no plan: where ONNX Runtime is, and the model.
struct InputsWanted {
  Path model;
  std::string input_data{};
  std::string shape_config{};
  std::uint64_t seed = 0;
};
Result<SettledInputs> settle_inputs(const Where& where, const InputsWanted& wanted,
                                    const std::vector<Path>& others = {});

}  // namespace hone
