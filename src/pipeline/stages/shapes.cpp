// The model with inputs of the sizes that the recipe says, for EPs that take no others.

#include "pipeline/stage.h"
#include "transform/fix_shapes.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.shapes ? "" : "the recipe fixes no shapes";
}

Json settings(const Recipe& recipe) {
  return Json::object().set("shapes", to_json(recipe.shapes.value_or(InputShapes())));
}

Result<Json> run(const StageRequest& request) {
  HONE_TRY(const Model model, load_model(request.input));
  SampleSource samples;
  samples.data = request.tools.run.input_data;
  samples.shape_config = request.tools.run.shape_config;
  samples.seed = request.tools.run.seed;
  HONE_TRY(FixedModel fixed,
           fix_shapes(request.tools.transform, model, *request.recipe.shapes, samples));
  HONE_TRY_DO(save_model(fixed.model, request.output));
  return to_json(fixed.report);
}

}  // namespace

Stage shapes() {
  return {.name = "shapes",
          .skip_reason = skip_reason,
          .settings = settings,
          .run = run,
          .is_silent = true};
}

}  // namespace hone::stages
