// The model with integers, or other floats, in the place of floats; run to see that it works.

#include "transform/quantize/quantize.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "pipeline/stage.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.quantize ? "" : "the recipe does not quantize";
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

std::string decibels(double value) {
  std::string text = std::to_string(std::round(value * 10) / 10);
  return text.substr(0, text.find('.') + 2) + " dB";
}

std::string left_by(const TriedRemedy& tried) {
  if (tried.failed_because) return " does not work";
  if (!tried.worst_sqnr_db) return tried.judged ? " exact" : " not judged";
  return " " + decibels(*tried.worst_sqnr_db) + (tried.judged ? "" : ", not judged");
}

// What was tried, in a clause each.
std::string tried_text(const std::vector<TriedRemedy>& tried) {
  std::vector<std::string> parts;
  for (const TriedRemedy& one : tried) parts.push_back(one.name + left_by(one));
  return parts.empty() ? "" : "\ntried: " + join(parts, "; ");
}

// What to add to the command of the build.
std::string options_for(const TriedRemedy& tried, const Recipe& recipe) {
  if (tried.only_in_recipe) return tried.recipe + " in the recipe's quantize";
  std::vector<std::string> words;
  if (!tried.options.empty()) words.push_back(tried.options);
  for (const std::string& name : tried.enables) words.push_back("--enable " + name);
  if (!tried.enables.empty() && recipe.skips_optimize) words.emplace_back("without --no-optimize");
  return join(words, " ");
}

std::string hint_of(const QuantizeResult& result, const Recipe& recipe) {
  const auto best = std::ranges::find(result.tried, true, &TriedRemedy::best);
  const std::string options = best != result.tried.end() ? options_for(*best, recipe) : "";
  return options + (options.empty() ? "" : "; ") +
         (result.verified ? "--allow-loss builds it all the same, --no-quant in float"
                          : "--no-quant builds it in float");
}

// What is left is too little, or nothing works: a check that did not hold.
Failure lost(const QuantizeResult& result, const Recipe& recipe) {
  if (!result.verified) {
    return fail(Fault::not_held, "the quantized model does not work",
                result.not_verified_because.value_or("") + tried_text(result.tried),
                hint_of(result, recipe));
  }
  const auto unjudged = std::ranges::find(result.outputs, false, &OutputError::judged);
  const double worst = result.worst_sqnr_db.value_or(result.least_sqnr_db);
  if (worst >= result.least_sqnr_db && unjudged != result.outputs.end()) {
    return fail(Fault::not_held, "it cannot be told whether the quantized model holds the floor",
                "output '" + unjudged->output + "' is not judged against " +
                    decibels(result.least_sqnr_db) + ": " +
                    unjudged->not_judged_because.value_or(""),
                "--calibration-data with real samples, which show more of it; --allow-loss builds "
                "it all the same");
  }
  return fail(Fault::not_held, "the quantized model keeps too little of the float one",
              "output '" + result.worst_output.value_or("") + "' keeps " + decibels(worst) +
                  ", below the floor of " + decibels(result.least_sqnr_db) +
                  tried_text(result.tried),
              hint_of(result, recipe));
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
  job.tries_remedies = request.tools.tries_remedies;
  const auto tell = [&](const std::string& step) { transform.progress("quantize: " + step); };
  HONE_TRY(QuantizeResult result,
           quantize_file(job, {transform.runtime, transform.probe_library, progress, tell}));
  if (!result.written) return lost(result, request.recipe);
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
