// A recipe for a model on a target: what `hone build` would do.

#include "app/command.h"
#include "app/outputs.h"
#include "app/recipe_arguments.h"
#include "flow/inspect.h"
#include "flow/where.h"
#include "record/recipe_hash.h"
#include "report/build/build_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  RecipeWishes recipe;
  Where where;
};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_outputs({arguments.output}, arguments.overwrite, {arguments.model}));
  HONE_TRY(const RecipeChoice choice,
           choose_recipe_for(arguments.model, arguments.recipe, arguments.where));
  const Json document = to_document(choice.recipe, recipe_schema_version);
  HONE_TRY_DO(write_report(arguments.output, document));
  const bool is_here = check_here(where_of(choice.recipe, arguments.where)).has_value();
  HONE_TRY(const ModelFacts facts, facts_of_model(arguments.model, arguments.where.host));
  std::string text = describe_recipe(choice.recipe, facts.precision) + "\n";
  for (const std::string& reason : choice.reasons) text += "  " + reason + "\n";
  if (!is_here)
    text += "  " + choice.recipe.target.ep + " is not here: this is for a machine that has it\n";
  text += "recipe " + hash_of(choice.recipe) + "\n";
  HONE_TRY_DO(call.answer(document, text));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  declare_recipe(options, arguments->recipe, arguments->where);
  options.text("-o,--output FILE", arguments->output, "where the recipe goes, as JSON");
  options.flag("--overwrite", arguments->overwrite, "replace an output that exists");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command config() {
  return {.name = "config",
          .group = "build",
          .summary = "Choose a recipe for a model on a target, and say why",
          .help =
              "The recipe is JSON: opset, optimizer capabilities, quantization, compilation\n"
              "and how the result is run. `hone build -c` takes it; docs/build.md describes\n"
              "it. Left to hone: NPUs get w8a16, CPUs and GPUs stay float, EPs that quantize\n"
              "by themselves are left to it, and EPs that compile ahead of time do.",
          .examples =
              "hone config model.onnx --ep qnn --device npu -o recipe.json\n"
              "hone config model.onnx --ep cpu --precision w8a8 --enable gelu-fusion",
          .declare = declare};
}

}  // namespace hone::app::commands
