#include "flow/search/collect.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "pipeline/policy.h"

namespace hone {
namespace {

// What is quantized is optimized before, as a build does: its scales are those of the fused ops.
void settle_quantize(const HypothesisRequest& request, Recipe& recipe) {
  if (!recipe.quantize) return;
  constexpr std::int64_t rounds_of_a_build = 3;
  recipe.optimize_rounds = rounds_of_a_build;
  if (!recipe.quantize->calibration_data && !request.calibration_data.empty())
    recipe.quantize->calibration_data = request.calibration_data;
}

Hypothesis as_it_came(const Recipe& baseline) {
  Hypothesis hypothesis;
  hypothesis.id = "as-it-came";
  hypothesis.dimension = "optimize";
  hypothesis.title = "no optimizer of ours";
  hypothesis.reason = "what ONNX Runtime makes of the model by itself may be as good";
  hypothesis.priority = 0.15;  // beside the odds of a fusion
  hypothesis.recipe = baseline;
  hypothesis.recipe.skips_optimize = true;
  return hypothesis;
}

// Such as a recipe with nodes that `hone debug --fix` keeps in float.
Result<Hypothesis> of_file(const HypothesisRequest& request, const std::string& file) {
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json document, Json::parse(text));
  Hypothesis hypothesis;
  HONE_TRY(hypothesis.recipe, from_document<Recipe>(document, recipe_schema_version));
  HONE_TRY_DO(check_recipe(hypothesis.recipe));
  hypothesis.recipe.target = request.insight.baseline.target;
  settle_quantize(request, hypothesis.recipe);
  hypothesis.id = Path(file).stem().string();
  hypothesis.dimension = "recipe";
  hypothesis.title = file;
  hypothesis.reason = "asked for by --recipe";
  hypothesis.priority = 10;
  return hypothesis;
}

Status check_ids(const std::vector<std::string>& only, const HypothesisSet& proposed) {
  for (const std::string& id : only) {
    if (std::ranges::find(proposed.hypotheses, id, &Hypothesis::id) != proposed.hypotheses.end())
      continue;
    const auto skip = std::ranges::find(proposed.skips, id, &SkippedHypothesis::id);
    if (skip != proposed.skips.end())
      return fail(Fault::bad_input, "there is nothing to try of '" + id + "'", skip->reason);
    return fail(Fault::bad_input,
                "there is no hypothesis '" + printable(id) + "' for this model and target", {},
                "--dry-run lists them");
  }
  return done();
}

// Who asks for an arm by name wants it measured, whatever a finding says of it.
HypothesisAdvisor overruled_by(const std::vector<std::string>& only, HypothesisAdvisor advisor) {
  if (!advisor || only.empty()) return advisor;
  return [&only, advisor = std::move(advisor)](const Hypothesis& hypothesis) {
    AdviceOnHypothesis advice = advisor(hypothesis);
    if (std::ranges::find(only, hypothesis.id) != only.end()) advice.pruned_by.reset();
    return advice;
  };
}

void keep_only(const std::vector<std::string>& only, HypothesisSet& proposed) {
  std::vector<Hypothesis> kept;
  for (Hypothesis& hypothesis : proposed.hypotheses) {
    const bool is_kept = kept.empty() || hypothesis.dimension == "target" ||
                         std::ranges::find(only, hypothesis.id) != only.end();
    if (is_kept) {
      kept.push_back(std::move(hypothesis));
    } else {
      proposed.skips.push_back({hypothesis.id, hypothesis.dimension, hypothesis.title,
                                "not named by --only-hypotheses", std::nullopt});
    }
  }
  proposed.hypotheses = std::move(kept);
}

}  // namespace

Result<HypothesisSet> collect_hypotheses(const HypothesisRequest& request) {
  HypothesisSet proposed =
      propose_hypotheses(request.insight, overruled_by(request.only, request.advisor));
  for (Hypothesis& hypothesis : proposed.hypotheses) settle_quantize(request, hypothesis.recipe);
  proposed.hypotheses.push_back(as_it_came(request.insight.baseline));
  for (const std::string& file : request.recipes) {
    HONE_TRY(Hypothesis hypothesis, of_file(request, file));
    proposed.hypotheses.push_back(std::move(hypothesis));
  }
  std::stable_sort(
      proposed.hypotheses.begin() + 1, proposed.hypotheses.end(),
      [](const Hypothesis& a, const Hypothesis& b) { return a.priority > b.priority; });
  return proposed;
}

Status narrow(const std::vector<std::string>& only, HypothesisSet& proposed) {
  HONE_TRY_DO(check_ids(only, proposed));
  if (!only.empty()) keep_only(only, proposed);
  return done();
}

}  // namespace hone
