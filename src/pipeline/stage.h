#pragma once
// A stage of a build: one file in stages/ that returns this struct, and one line in stages.inc,
// whose order is the order in which stages run.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "record/recipe.h"
#include "record/run_plan.h"
#include "runtime/worker.h"
#include "transform/optimize.h"

namespace hone {

// What stages work with.
struct BuildTools {
  TransformTools transform;
  RunPlan run;  // runtime, libraries, samples; model and target are the stage's to fill
  Path program;
  WorkerLimits limits;
  // A stage whose result does not hold finds out what would help; whoever tries many recipes does
  // that by itself.
  bool tries_remedies = true;
};

struct StageRequest {
  const BuildTools& tools;
  const Recipe& recipe;
  Path input;   // the model
  Path output;  // where the model goes, in a folder of the stage's own
};

struct Stage {
  std::string_view name;
  // Why the recipe does not want it; empty when it does.
  std::string (*skip_reason)(const Recipe& recipe);
  // The part of the recipe that decides its bytes.
  Json (*settings)(const Recipe& recipe);
  // Files and folders beyond the model that decide them too; null: none.
  std::vector<Path> (*files)(const Recipe& recipe) = nullptr;
  // Writes the model and what belongs beside it; answers with what it did.
  Result<Json> (*run)(const StageRequest& request);
  // Builds that do not want it do not speak of it, and count without it.
  bool is_silent = false;
  // It hands the model to the EP: before it, what the EP is known not to take is looked for.
  bool is_for_ep = false;
};

std::span<const Stage> all_stages();

namespace stages {
#define HONE_STAGE(name) Stage name();
#include "pipeline/stages.inc"
#undef HONE_STAGE
}  // namespace stages

}  // namespace hone
