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
  std::string model;
  std::string output;
  bool overwrite = false;
  bool rebuilds = false;
  bool is_build_only = false;
  std::string use_cache = "on";
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t timeout = 300;
  bool skips_remedies = false;
  bool allows_unsupported = false;
  RecipeWishes recipe;
  Where where;
};

BuildOrder order_of(const Arguments& arguments, RecipeChoice choice) {
  BuildOrder order;
  order.model = arguments.model;
  order.recipe = std::move(choice.recipe);
  order.notes = std::move(choice.reasons);
  order.output = arguments.output;
  order.overwrite = arguments.overwrite;
  order.rebuilds = arguments.rebuilds;
  order.keeps_cache = arguments.use_cache == "on";
  order.must_compile = arguments.recipe.wants_compile || !arguments.recipe.file.empty();
  order.is_build_only = arguments.is_build_only;
  order.holds_coverage = !arguments.allows_unsupported;
  order.tries_remedies = !arguments.skips_remedies;
  order.input_data = arguments.input_data;
  order.shape_config = arguments.shape_config;
  order.seed = arguments.seed;
  order.timeout_s = arguments.timeout;
  order.where = arguments.where;
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
  if (arguments.recipe.wants_compile && arguments.is_build_only)
    return misuse("--compile and --build-only exclude each other",
                  "--build-only makes the model without the EP that would compile it");
  if (arguments.recipe.wants_compile && arguments.recipe.skips_compile)
    return misuse("--compile and --no-compile exclude each other", "leave one of them out");
  HONE_TRY(const auto parts, find_parts(arguments.model, arguments.where.host));
  if (parts) return run_parts(arguments, *parts, call);
  HONE_TRY(RecipeChoice choice,
           choose_recipe_for(arguments.model, arguments.recipe, arguments.where));
  StepProgress progress(call);
  HONE_TRY(const BuildReceipt receipt,
           build_model(order_of(arguments, std::move(choice)), progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(receipt, build_schema_version), describe_build(receipt)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.text("-o,--output FOLDER", arguments->output, "where the build goes", Need::required);
  options.flag("--overwrite", arguments->overwrite, "replace the build of another recipe there");
  declare_recipe(options, arguments->recipe, arguments->where);
  options.flag("--compile", arguments->recipe.wants_compile,
               "compile, or fail at once where the EP cannot");
  options.flag("--build-only", arguments->is_build_only,
               "make the model for an EP that may not be here, without trying it");
  options.flag("--no-remedies", arguments->skips_remedies,
               "do not try what would help where quantizing leaves too little");
  options.flag("--allow-unsupported", arguments->allows_unsupported,
               "build what the EP is known not to take all the same");
  options.flag("--rebuild", arguments->rebuilds, "do every stage again");
  options.choice("--use-cache WORD", arguments->use_cache, {"on", "off"},
                 "keep and use results of stages (on)");
  options.text("--input-data FILE", arguments->input_data, "inputs to check stages on, as .npz");
  options.shape_config(arguments->shape_config);
  options.seed(arguments->seed, "of random inputs");
  options.integer("--timeout SECONDS", arguments->timeout, "for compiling (300)", Need::optional,
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
