#include "flow/recipe_choice.h"

#include "base/misuse.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/where.h"
#include "kinds/ep.h"
#include "transform/capability.h"

namespace hone {
namespace {

Status apply_quantization(const RecipeWishes& wishes, Recipe& recipe) {
  const bool is_asked = !wishes.calibration_data.empty() || wishes.samples ||
                        !wishes.method.empty() || wishes.per_channel || !wishes.overrides.empty() ||
                        wishes.min_sqnr_db || wishes.allows_loss;
  if (!is_asked) return done();
  if (!recipe.quantize) {
    return fail(Fault::bad_input, "the recipe stays float, and options say how to quantize", {},
                "--precision w8a8 quantizes");
  }
  QuantizeRecipe& quantize = *recipe.quantize;
  if (!wishes.calibration_data.empty()) quantize.calibration_data = wishes.calibration_data;
  if (wishes.samples) quantize.samples = wishes.samples;
  if (!wishes.method.empty()) quantize.method = wishes.method;
  if (wishes.per_channel) quantize.per_channel = true;
  if (!wishes.overrides.empty()) quantize.overrides = wishes.overrides;
  if (wishes.min_sqnr_db) quantize.min_sqnr_db = wishes.min_sqnr_db;
  if (wishes.allows_loss) quantize.allow_loss = true;
  return done();
}

// What --precision asks for; none is float. Refused where --no-quant says the opposite.
Result<std::vector<std::string>> asked_precisions(const RecipeWishes& wishes,
                                                  const Target& target) {
  HONE_TRY(PrecisionChoice wanted, choose_precision(target, wishes.precision));
  if (!wishes.skips_quantize || wishes.precision == "auto" || wanted.precisions.empty())
    return std::move(wanted.precisions);
  return fail(Fault::bad_input,
              "--no-quant and --precision " + wishes.precision + " exclude each other", {},
              "leave one of them out");
}

// --precision over what a recipe file says.
Status apply_precision(const RecipeWishes& wishes, Recipe& recipe) {
  if (wishes.precision == "auto") return done();
  HONE_TRY(std::vector<std::string> precisions, asked_precisions(wishes, recipe.target));
  if (precisions.empty()) {
    recipe.quantize.reset();
    return done();
  }
  if (!recipe.quantize) recipe.quantize.emplace().preset = preset_for(recipe.target.ep);
  recipe.quantize->precisions = std::move(precisions);
  return done();
}

// Whoever asks for it gets it or hears that it cannot be had.
Status compile_as_asked(const RecipeChoice& choice, Recipe& recipe) {
  if (recipe.compile || choice.state.is_compiled) return done();
  if (!compiles_ahead(recipe.target.ep)) {
    std::vector<std::string> others;
    for (const Ep& ep : all_eps())
      if (ep.recipe.compiles_ahead) others.emplace_back(ep.name);
    return misuse("--compile: " + recipe.target.ep + " makes no compiled models",
                  "leave it out, or --ep with one that does: " + join(others, ", "));
  }
  recipe.compile.emplace();
  return done();
}

Status apply(const RecipeWishes& wishes, const Where& where, RecipeChoice& choice) {
  Recipe& recipe = choice.recipe;
  if (wishes.opset) recipe.opset = wishes.opset;
  HONE_TRY_DO(enable_as_asked(wishes.enabled, wishes.skips_optimize, choice));
  for (const std::string& name : wishes.disabled) {
    HONE_TRY(const Capability* capability, find_capability(name));
    recipe.optimize[json_name(*capability)] = false;
  }
  if (wishes.optimize_rounds) recipe.optimize_rounds = *wishes.optimize_rounds;
  if (wishes.skips_quantize) recipe.quantize.reset();
  HONE_TRY_DO(apply_quantization(wishes, recipe));
  if (wishes.skips_compile) recipe.compile.reset();
  HONE_TRY(const std::vector<std::string> chosen, put_over(recipe, where));
  choice.reasons.insert(choice.reasons.end(), chosen.begin(), chosen.end());
  HONE_TRY_DO(check_target(recipe.target, where.host));
  if (wishes.wants_compile) HONE_TRY_DO(compile_as_asked(choice, recipe));
  return check_recipe(recipe);
}

}  // namespace

Result<RecipeChoice> choose_recipe_for(const std::string& model, const RecipeWishes& wishes,
                                       const Where& where) {
  RecipeChoice choice;
  Where own = where;
  if (wishes.file.empty()) {
    HONE_TRY(const GivenModel given, find_model(model, where));
    HONE_TRY(const RunPlan plan, plan_of(given));
    HONE_TRY_DO(asked_precisions(wishes, plan.target));
    HONE_TRY(const ModelState state, state_of_model(given.file));
    const bool stays_float = wishes.skips_quantize && wishes.precision == "auto";
    HONE_TRY(choice, choose_recipe(plan.target, stays_float ? "fp32" : wishes.precision, state));
    choice.reasons.insert(choice.reasons.end(), given.notes.begin(), given.notes.end());
    own = given.where;
  } else {
    HONE_TRY(choice.recipe, load_recipe(wishes.file));
    choice.reasons.push_back("as '" + wishes.file + "' says");
    HONE_TRY_DO(apply_precision(wishes, choice.recipe));
  }
  HONE_TRY_DO(apply(wishes, own, choice));
  return choice;
}

}  // namespace hone
