// The graph fused and folded, and checked to compute the same.

#include "transform/optimize.h"

#include "pipeline/stage.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.skips_optimize ? "the recipe skips it" : "";
}

Json settings(const Recipe& recipe) {
  Json flags = Json::object();
  for (const auto& [name, is_on] : recipe.optimize) flags.set(name, is_on);
  return Json::object().set("optimize", std::move(flags));
}

Result<Json> run(const StageRequest& request) {
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
  for (const auto& [name, is_on] : request.recipe.optimize) {
    (is_on ? enabled : disabled).push_back(name);
  }
  HONE_TRY(OptimizePlan plan, plan_capabilities(enabled, disabled));
  plan.samples.data = request.tools.run.input_data;
  plan.samples.shape_config = request.tools.run.shape_config;
  plan.samples.seed = request.tools.run.seed;
  HONE_TRY(const Model model, load_model(request.input));
  HONE_TRY(OptimizeOutcome outcome, hone::optimize(request.tools.transform, model, plan));
  outcome.report.model = "";  // the receipt names files by their hash
  if (outcome.report.verified && !outcome.report.verified->holds) {
    return fail(Fault::runtime, "the optimized model computes something else than its source", {},
                "`hone optimize --bisect` finds the optimizer");
  }
  HONE_TRY_DO(save_model(outcome.result.model, request.output));
  return to_json(outcome.report);
}

}  // namespace

Stage optimize() {
  return {.name = "optimize", .skip_reason = skip_reason, .settings = settings, .run = run};
}

}  // namespace hone::stages
