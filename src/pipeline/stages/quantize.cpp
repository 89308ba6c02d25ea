// The model with integers, or other floats, in the place of floats; run to see that it works.

#include "transform/quantize/quantize.h"

#include "pipeline/stage.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.quantize ? "" : "the recipe stays float";
}

// Files enter by their content, not by where they lie.
Json settings(const Recipe& recipe) {
  QuantizeRecipe quantize = recipe.quantize.value_or(QuantizeRecipe());
  quantize.calibration_data.reset();
  quantize.overrides.reset();
  return Json::object().set("quantize", to_json(quantize));
}

std::vector<Path> files(const Recipe& recipe) {
  std::vector<Path> found;
  if (!recipe.quantize) return found;
  if (recipe.quantize->calibration_data) found.emplace_back(*recipe.quantize->calibration_data);
  if (recipe.quantize->overrides) found.emplace_back(*recipe.quantize->overrides);
  return found;
}

Result<Json> run(const StageRequest& request) {
  HONE_TRY(QuantizeRequest job, request_of(*request.recipe.quantize));
  job.model = request.input;
  job.output = request.output;
  HONE_TRY(job.shapes, parse_shape_rules(request.tools.run.shape_config));
  const TransformTools& transform = request.tools.transform;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    transform.progress("quantize: calibrating, " + std::to_string(done) + " of " +
                       std::to_string(total) + " runs");
  };
  HONE_TRY(QuantizeResult result,
           quantize_file(job, {transform.runtime, transform.probe_library, progress}));
  if (!result.verified) {
    return fail(Fault::runtime, "the quantized model does not work",
                result.not_verified_because.value_or(""), "--no-quant builds it in float");
  }
  result.model = "";  // the receipt names files by their hash
  result.output = "";
  return to_json(result);
}

}  // namespace

Stage quantize() {
  return {.name = "quantize",
          .skip_reason = skip_reason,
          .settings = settings,
          .files = files,
          .run = run};
}

}  // namespace hone::stages
