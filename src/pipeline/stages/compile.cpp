// The model compiled ahead of time by the target's EP.

#include "transform/compile/compile.h"

#include "pipeline/stage.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.compile ? "" : "the recipe does not compile";
}

Json settings(const Recipe& recipe) {
  return Json::object()
      .set("compile", recipe.compile ? to_json(*recipe.compile) : Json())
      .set("target", to_json(recipe.target))
      .set("session", to_json(recipe.session));
}

Result<Json> run(const StageRequest& request) {
  CompileJob job;
  job.run = request.tools.run;
  job.run.model = request.input.string();
  job.run.target = request.recipe.target;
  for (const auto& [key, value] : request.recipe.compile->provider_options) {
    job.run.target.options[key] = value;
  }
  job.run.session_options = request.recipe.session.options;
  job.run.samples = 1;
  job.output = request.output;
  job.embeds = request.recipe.compile->embeds;
  job.program = request.tools.program;
  job.limits = request.tools.limits;
  job.progress = request.tools.transform.progress;
  HONE_TRY(CompileReport report, compile_ahead(job));
  report.model = "";
  report.output.reset();
  report.compile_ms.reset();  // the receipt has the time of the stage
  return to_json(report);
}

}  // namespace

Stage compile() {
  return {.name = "compile",
          .skip_reason = skip_reason,
          .settings = settings,
          .run = run,
          .is_for_ep = true};
}

}  // namespace hone::stages
