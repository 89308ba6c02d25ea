#include "app/recipe_arguments.h"

#include "app/model_path.h"
#include "inspect/quantization.h"
#include "transform/capability.h"
#include "transform/compile/context.h"

namespace hone::app {
namespace {

Status apply_quantization(const RecipeArguments& arguments, Recipe& recipe) {
  const bool is_asked = !arguments.calibration_data.empty() || arguments.samples > 0 ||
                        !arguments.method.empty() || arguments.per_channel ||
                        !arguments.overrides.empty() || arguments.min_sqnr_db ||
                        arguments.allows_loss;
  if (!is_asked) return done();
  if (!recipe.quantize) {
    return fail(Fault::bad_input, "the recipe stays float, and options say how to quantize", {},
                "--precision w8a8 quantizes");
  }
  QuantizeRecipe& quantize = *recipe.quantize;
  if (!arguments.calibration_data.empty()) quantize.calibration_data = arguments.calibration_data;
  if (arguments.samples > 0) quantize.samples = arguments.samples;
  if (!arguments.method.empty()) quantize.method = arguments.method;
  if (arguments.per_channel) quantize.per_channel = true;
  if (!arguments.overrides.empty()) quantize.overrides = arguments.overrides;
  if (arguments.min_sqnr_db) quantize.min_sqnr_db = arguments.min_sqnr_db;
  if (arguments.allows_loss) quantize.allow_loss = true;
  return done();
}

// What --precision asks for; none is float. Refused where --no-quant says the opposite.
Result<std::vector<std::string>> asked_precisions(const RecipeArguments& arguments,
                                                  const Target& target) {
  HONE_TRY(PrecisionChoice wanted, choose_precision(target, arguments.precision));
  if (!arguments.skips_quantize || arguments.precision == "auto" || wanted.precisions.empty())
    return std::move(wanted.precisions);
  return fail(Fault::bad_input,
              "--no-quant and --precision " + arguments.precision + " exclude each other", {},
              "leave one of them out");
}

// --precision over what a recipe file says.
Status apply_precision(const RecipeArguments& arguments, Recipe& recipe) {
  if (arguments.precision == "auto") return done();
  HONE_TRY(std::vector<std::string> precisions, asked_precisions(arguments, recipe.target));
  if (precisions.empty()) {
    recipe.quantize.reset();
    return done();
  }
  if (!recipe.quantize) recipe.quantize.emplace().preset = preset_for(recipe.target.ep);
  recipe.quantize->precisions = std::move(precisions);
  return done();
}

Status apply(const RecipeArguments& arguments, RecipeChoice& choice) {
  Recipe& recipe = choice.recipe;
  if (arguments.opset > 0) recipe.opset = arguments.opset;
  HONE_TRY_DO(enable_as_asked(arguments.enabled, arguments.skips_optimize, choice));
  for (const std::string& name : arguments.disabled) {
    HONE_TRY(const Capability* capability, find_capability(name));
    recipe.optimize[json_name(*capability)] = false;
  }
  if (arguments.optimize_rounds >= 0) recipe.optimize_rounds = arguments.optimize_rounds;
  if (arguments.skips_quantize) recipe.quantize.reset();
  HONE_TRY_DO(apply_quantization(arguments, recipe));
  if (arguments.skips_compile) recipe.compile.reset();
  HONE_TRY_DO(put_over(recipe, arguments.where));
  return check_recipe(recipe);
}

}  // namespace

Result<Recipe> load_recipe(const std::string& path) {
  HONE_TRY(const std::string text, read_file(path));
  const auto read = [&]() -> Result<Recipe> {
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<Recipe>(document, recipe_schema_version);
  };
  Result<Recipe> recipe = read();
  if (recipe) return recipe;
  Error error = std::move(recipe).error();
  error.what = "'" + path + "' is no recipe: " + error.what;
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

Result<ModelState> state_of_model(const Path& path) {
  HONE_TRY(const Model model, load_model(path));
  HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(model));
  return ModelState{.is_quantized = !list_quantization(model).empty(),
                    .is_compiled = !contexts.empty()};
}

void declare_recipe(Options& options, RecipeArguments& arguments) {
  options.text("-c,--config FILE", arguments.file, "a recipe; other options are put over it");
  options.text("--precision WORD", arguments.precision,
               "auto, fp32, fp16, w8a8, w8a16, w16a8, int16, int4, w4a16, dynamic");
  options.integer("--opset N", arguments.opset, "the opset of the result", Need::optional,
                  {.least = 9, .most = 25});
  options.texts("--enable NAME", arguments.enabled, "an optimizer capability to switch on");
  options.texts("--disable NAME", arguments.disabled, "one to switch off");
  options.integer("--optimize-rounds N", arguments.optimize_rounds,
                  "how often to add what analyzing suggests (3); 0: never", Need::optional,
                  {.least = 0, .most = 3});
  options.text("--calibration-data FILE", arguments.calibration_data,
               "samples to quantize with: .npz, or a folder of them");
  options.integer("--samples N", arguments.samples, "how many of them", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.choice("--method NAME", arguments.method, {"minmax", "entropy", "percentile"},
                 "how ranges of activations are found");
  options.flag("--per-channel", arguments.per_channel, "a scale for each channel of a weight");
  options.text("--overrides FILE", arguments.overrides,
               "JSON: types and ranges of tensors, and nodes that stay in float");
  options.number("--min-sqnr DB", arguments.min_sqnr_db,
                 "fail when an output of the quantized model keeps less (10)");
  options.flag("--allow-loss", arguments.allows_loss, "build what is below that all the same");
  options.flag("--no-quant", arguments.skips_quantize, "stay float");
  options.flag("--no-optimize", arguments.skips_optimize, "leave the graph as it is");
  options.flag("--no-compile", arguments.skips_compile, "do not compile ahead of time");
  declare_where(options, arguments.where);
}

Result<RecipeChoice> read_recipe(const RecipeArguments& arguments, const std::string& model) {
  RecipeChoice choice;
  RecipeArguments own = arguments;
  if (arguments.file.empty()) {
    HONE_TRY(const GivenModel given, find_model(model, arguments.where));
    HONE_TRY(const RunPlan plan, plan_of(given));
    HONE_TRY_DO(asked_precisions(arguments, plan.target));
    HONE_TRY(const ModelState state, state_of_model(given.file));
    const bool stays_float = arguments.skips_quantize && arguments.precision == "auto";
    HONE_TRY(choice, choose_recipe(plan.target, stays_float ? "fp32" : arguments.precision, state));
    choice.reasons.insert(choice.reasons.end(), given.notes.begin(), given.notes.end());
    own.where = given.where;
  } else {
    HONE_TRY(choice.recipe, load_recipe(arguments.file));
    choice.reasons.push_back("as '" + arguments.file + "' says");
    HONE_TRY_DO(apply_precision(arguments, choice.recipe));
  }
  HONE_TRY_DO(apply(own, choice));
  return choice;
}

}  // namespace hone::app
