// A model built for a target: normalized, optimized, quantized, compiled, with a receipt.

#include "pipeline/build.h"

#include <algorithm>

#include "app/command.h"
#include "app/inputs.h"
#include "app/model_path.h"
#include "app/own_command.h"
#include "app/recipe_arguments.h"
#include "app/tools.h"
#include "app/version.h"
#include "base/hash.h"
#include "base/process.h"
#include "report/build/build_text.h"
#include "report/build/opening.h"
#include "runtime/ep_names.h"
#include "runtime/target.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  bool rebuilds = false;
  bool wants_compile = false;
  std::string use_cache = "on";
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t timeout = 300;
  bool skips_remedies = false;
  RecipeArguments recipe;
};

// The bytes of ONNX Runtime and of the plugin libraries.
Result<std::string> runtime_key(const BuildTools& tools) {
  Sha256 hash;
  std::vector<Path> files = {tools.transform.runtime->path(), tools.transform.probe_library};
  for (const auto& [name, path] : tools.run.ep_libraries) files.emplace_back(path);
  for (const Path& file : files) {
    HONE_TRY(const Blob bytes, map_file(file));
    hash.add_field(sha256(bytes.view()).view());
  }
  return hash.finish().hex();
}

// The plan is the recipe's: one of a file needs the libraries of its target as much as one of --ep.
Result<BuildTools> make_build_tools(const Arguments& arguments, const Recipe& recipe,
                                    StepProgress& progress) {
  BuildTools tools;
  HONE_TRY(tools.transform, make_tools(arguments.recipe.where, progress));
  HONE_TRY(tools.run, run_plan_of(recipe, arguments.recipe.where));
  tools.run.input_data = arguments.input_data;
  tools.run.shape_config = arguments.shape_config;
  tools.run.seed = arguments.seed;
  tools.tries_remedies = !arguments.skips_remedies;
  HONE_TRY(tools.program, own_program());
  tools.limits.open = std::chrono::seconds(arguments.timeout);
  tools.limits.block = std::chrono::seconds(arguments.timeout);
  return tools;
}

// A compilation that the policy chose is left out where the EP is not installed; one that somebody
// asked for fails here, before any work.
Status settle_compile(const Arguments& arguments, const BuildTools& tools, RecipeChoice& choice) {
  if (!choice.recipe.compile) return done();
  HONE_TRY(Worker worker, Worker::start(tools.program, tools.limits));
  const auto probed = worker.probe(tools.run);
  const std::string ep = ep_short_name(choice.recipe.target.ep);
  const bool is_here = probed && std::ranges::any_of(probed->devices, [&](const Device& device) {
                         return ep_short_name(device.ep) == ep;
                       });
  if (is_here) return done();
  const bool is_asked_for = arguments.wants_compile || !arguments.recipe.file.empty();
  if (is_asked_for) {
    return fail(Fault::not_found, "cannot compile for " + describe(choice.recipe.target) + " here",
                probed ? "ONNX Runtime offers no device of it" : probed.error().what,
                "--no-compile builds everything before that; `hone doctor " + ep +
                    "` says what is missing");
  }
  choice.recipe.compile.reset();
  choice.reasons.push_back("not compiled: " + ep + " is not installed here");
  return done();
}

// In the place of what an earlier build in this folder had.
Status keep_opening(const Path& folder, const Recipe& recipe) {
  const Path file = folder / opening_name;
  if (!words_beside_bytes(recipe).empty())
    return write_file(file, opening_page(recipe, ep_own_name(recipe.target.ep)));
  std::error_code problem;
  std::filesystem::remove(file, problem);
  if (!problem) return done();
  return fail(Fault::io, "cannot remove '" + file.string() + "'", problem.message());
}

// Every stage that runs the model, runs it on the same inputs. Those that calibrate are made up
// where only others are given.
Result<SettledInputs> settle_stages(const Arguments& arguments, const Recipe& recipe,
                                    const Path& model) {
  const bool calibrates = recipe.quantize && !recipe.quantize->calibration_data;
  return settle_inputs(arguments.recipe.where,
                       {model, calibrates ? std::string() : arguments.input_data,
                        arguments.shape_config, arguments.seed});
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  BuildJob job;
  HONE_TRY(job.model, find_model_file(arguments.model));
  HONE_TRY_DO(load_whole_model(job.model));
  HONE_TRY(RecipeChoice choice, read_recipe(arguments.recipe, arguments.model));
  StepProgress progress(call);
  HONE_TRY(BuildTools tools, make_build_tools(arguments, choice.recipe, progress));
  HONE_TRY_DO(settle_compile(arguments, tools, choice));
  HONE_TRY(const SettledInputs inputs, settle_stages(arguments, choice.recipe, job.model));
  tools.run.shape_config = inputs.shape_config;
  job.recipe = choice.recipe;
  job.output = arguments.output;
  job.overwrite = arguments.overwrite;
  job.rebuilds = arguments.rebuilds;
  job.tool_version = version_number();
  job.notes = choice.reasons;
  if (const std::string opening = describe_opening(job.recipe); !opening.empty())
    job.notes.push_back(opening);
  job.notes.insert(job.notes.end(), inputs.notes.begin(), inputs.notes.end());
  HONE_TRY(job.runtime_key, runtime_key(tools));
  if (arguments.use_cache == "on") {
    HONE_TRY(const Path cache, cache_folder());
    job.cache = cache / "builds";
  }
  HONE_TRY(const BuildReceipt receipt, build(tools, job));
  HONE_TRY_DO(keep_opening(job.output, job.recipe));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(receipt, build_schema_version), describe_build(receipt)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.text("-o,--output FOLDER", arguments->output, "where the build goes", Need::required);
  options.flag("--overwrite", arguments->overwrite, "replace the build of another recipe there");
  declare_recipe(options, arguments->recipe);
  options.flag("--compile", arguments->wants_compile,
               "compile, or fail at once where the EP is not installed");
  options.flag("--no-remedies", arguments->skips_remedies,
               "do not try what would help where quantizing leaves too little");
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
              "one `hone config` would choose). The folder holds model.onnx, recipe.json,\n"
              "receipt.json and the result of every stage; where it has to be opened with\n"
              "options, how-to-open.md too. Stages whose input and settings were seen before\n"
              "come from the cache. A build that was killed is run again and ends with the\n"
              "same bytes.",
          .examples =
              "hone build model.onnx -o build --ep qnn --device npu\n"
              "hone build model.onnx -o build -c recipe.json\n"
              "hone build model.onnx -o build --ep cpu --enable gelu-fusion",
          .declare = declare};
}

}  // namespace hone::app::commands
