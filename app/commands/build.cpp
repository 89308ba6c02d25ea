// A model built for a target: normalized, optimized, quantized, compiled, with a receipt.

#include "flow/build.h"

#include "app/command.h"
#include "app/recipe_arguments.h"
#include "app/step_progress.h"
#include "base/misuse.h"
#include "flow/parts/orders.h"
#include "report/build/build_text.h"
#include "report/parts/parts_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  BuildOrder order;
  RecipeWishes recipe;
  std::string use_cache = "on";
};

BuildOrder order_of(const Arguments& arguments, RecipeChoice choice) {
  BuildOrder order = arguments.order;
  order.recipe = std::move(choice.recipe);
  order.notes = std::move(choice.reasons);
  order.keeps_cache = arguments.use_cache == "on";
  order.must_compile = arguments.recipe.wants_compile || !arguments.recipe.file.empty();
  return order;
}

Result<ExitCode> run_parts(const Arguments& arguments, const FoundParts& found, const Call& call) {
  StepProgress progress(call);
  HONE_TRY(const CompositeReceipt receipt,
           build_parts(found, order_of(arguments, {}), arguments.recipe, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(receipt, build_schema_version), describe_parts(receipt)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.recipe.wants_compile && arguments.order.is_build_only)
    return misuse("--compile and --build-only exclude each other",
                  "--build-only makes the model without the EP that would compile it");
  if (arguments.recipe.wants_compile && arguments.recipe.skips_compile)
    return misuse("--compile and --no-compile exclude each other", "leave one of them out");
  HONE_TRY(const auto parts, find_parts(arguments.order.model, arguments.order.where.host));
  if (parts) return run_parts(arguments, *parts, call);
  HONE_TRY(RecipeChoice choice,
           choose_recipe_for(arguments.order.model, arguments.recipe, arguments.order.where));
  StepProgress progress(call);
  HONE_TRY(const BuildReceipt receipt,
           build_model(order_of(arguments, std::move(choice)), progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(receipt, build_schema_version), describe_build(receipt)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  BuildOrder& order = arguments->order;
  order.holds_coverage = true;
  options.model(order.model);
  options.text("-o,--output FOLDER", order.output, "where the build goes", Need::required);
  options.flag("--overwrite", order.overwrite, "replace the build of another recipe there");
  declare_recipe(options, arguments->recipe, order.where);
  options.flag("--compile", arguments->recipe.wants_compile,
               "compile, or fail at once where the EP cannot");
  options.flag("--build-only", order.is_build_only,
               "make the model for an EP that may not be here, without trying it");
  options.no_flag("--no-remedies", order.tries_remedies,
                  "do not try what would help where quantizing leaves too little");
  options.no_flag("--allow-unsupported", order.holds_coverage,
                  "build what the EP is known not to take all the same");
  options.flag("--rebuild", order.rebuilds, "do every stage again");
  options.choice("--use-cache WORD", arguments->use_cache, {"on", "off"},
                 "keep and use results of stages (on)");
  options.text("--input-data FILE", order.input_data, "inputs to check stages on, as .npz");
  options.shape_config(order.shape_config);
  options.seed(order.seed, "of random inputs");
  options.integer("--timeout SECONDS", order.timeout_s, "for compiling (300)", Need::optional,
                  {.least = 1, .most = 86'400});
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command build() {
  return {.name = "build",
          .group = "build",
          .summary = "Build a model for a target by a recipe, stage by stage, with a receipt",
          .help =
              "Normalizes, optimizes, quantizes and compiles as the recipe says (-c, or the\n"
              "one `hone config` would choose), for a target that is here or, with\n"
              "--build-only, one that is elsewhere. The folder holds model.onnx, recipe.json,\n"
              "receipt.json and the result of every stage; where it has to be opened with\n"
              "options, how-to-open.md too. Stages whose input and settings were seen before\n"
              "come from the cache. A build that was killed is run again and ends with the\n"
              "same bytes.",
          .examples =
              "hone build model.onnx -o build --device npu\n"
              "hone build model.onnx -o build --ep qnn --device npu --build-only\n"
              "hone build model.onnx -o build -c recipe.json\n"
              "hone build model.onnx -o build --ep cpu --enable gelu-fusion",
          .declare = declare};
}

}  // namespace hone::app::commands
