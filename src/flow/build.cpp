#include "flow/build.h"

#include <algorithm>

#include "base/hash.h"
#include "base/hash_file.h"
#include "base/text.h"
#include "flow/export/cached.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/parts/folder.h"
#include "flow/processor.h"
#include "flow/static_shapes.h"
#include "flow/transform_tools.h"
#include "flow/version.h"
#include "flow/where.h"
#include "model/edit.h"
#include "pipeline/policy.h"
#include "record/shape_rules.h"
#include "report/build/opening.h"
#include "runtime/ep_names.h"
#include "runtime/infer.h"
#include "runtime/target.h"
#include "transform/open_shapes.h"

namespace hone {
namespace {

// The plan is the recipe's: one of a file needs the libraries of its target as much as one of --ep.
Result<BuildTools> make_build_tools(const BuildOrder& order, const Watch& watch) {
  BuildTools tools;
  HONE_TRY(tools.transform, make_tools(order.where.host, watch));
  HONE_TRY(tools.run, run_plan_of(order.recipe, order.where));
  tools.run.input_data = order.input_data;
  tools.run.shape_config = order.shape_config;
  tools.run.seed = order.seed;
  tools.tries_remedies = order.tries_remedies;
  tools.program = order.where.host.program;
  tools.limits.open = std::chrono::seconds(order.timeout_s);
  tools.limits.block = std::chrono::seconds(order.timeout_s);
  return tools;
}

Result<std::string> runtime_key(const BuildTools& tools) {
  std::vector<Path> libraries = {tools.transform.runtime->path(), tools.transform.probe_library};
  for (const auto& [name, path] : tools.run.ep_libraries) libraries.emplace_back(path);
  return hash_of_libraries(libraries);
}

// For hardware that is elsewhere a model is made only where that was said. A compilation that the
// policy chose is left out where the EP offers no device for it; one that was asked for fails here,
// before any work.
Status settle_target(const BuildOrder& order, BuildJob& job) {
  const std::string target = describe(job.recipe.target);
  if (order.is_build_only) {
    if (job.recipe.compile) job.notes.push_back("not compiled for " + target + ": only built");
    job.recipe.compile.reset();
    return done();
  }
  auto devices = check_here(where_of(job.recipe, order.where));
  if (!devices) {
    Error error = std::move(devices).error();
    if (error.trouble == Trouble::absent)
      error.hint = "--build-only makes the model for it without trying it; " + error.hint;
    return fail(std::move(error));
  }
  if (!job.recipe.compile || !devices->empty()) return done();
  if (order.must_compile) {
    return fail(Fault::not_found, Trouble::absent, "cannot compile for " + target + " here",
                "it offers no device to compile for", "--no-compile builds everything before that");
  }
  job.recipe.compile.reset();
  job.notes.push_back("not compiled: " + target + " offers no device to compile for");
  return done();
}

std::string text_of(const InputShapes& shapes) { return to_shape_text({.inputs = shapes}); }

bool has_open_values(const TransformTools& tools, const Path& path) {
  auto model = load_model(path);
  if (!model || !sort_topologically(*model->graph)) return false;
  return infer_types(tools.runtime, tools.probe_library, *model) && count_open(*model) > 0;
}

// Where the EP takes no open dimension, inputs get the sizes that were said; the recipe holds them
// from then on. One that fixes shapes does so for any EP.
Result<std::string> settle_shapes(const BuildOrder& order, const BuildTools& tools, BuildJob& job) {
  const bool is_fixed = job.recipe.shapes && order.shape_config.empty();
  const std::string said = is_fixed ? text_of(*job.recipe.shapes) : order.shape_config;
  const Target& target = job.recipe.target;
  if (!job.recipe.shapes && !needs_static_shapes(target)) return said;
  HONE_TRY(const ModelState state, state_of_model(job.model));
  if (state.is_compiled) return said;
  HONE_TRY(InputShapes shapes,
           settle_static_shapes(
               order.where, {job.model, said, describe(target) + " takes static shapes alone"}));
  // Inputs that are static need not mean that all is: computed shapes are folded then.
  if (shapes.empty() && !has_open_values(tools.transform, job.model)) {
    job.recipe.shapes.reset();
    return said;
  }
  HONE_TRY(ShapeRules rules, parse_shape_rules(said));
  rules.symbols.clear();
  rules.inputs = shapes;
  job.recipe.shapes = std::move(shapes);
  return to_shape_text(rules);
}

// Every stage that runs the model, runs it on the same inputs. Those that calibrate are made up
// where only others are given.
Result<SettledInputs> settle_stages(const BuildOrder& order, const BuildJob& job,
                                    const std::string& shape_config) {
  const bool calibrates = job.recipe.quantize && !job.recipe.quantize->calibration_data;
  return settle_inputs(
      where_of(job.recipe, order.where),
      {job.model, calibrates ? std::string() : order.input_data, shape_config, order.seed});
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

bool is_written_as(const ExportedFrom& from, const ExportRecipe& said) {
  return from.form == said.form && from.opset == said.opset.value_or(from.opset) &&
         from.dtype == said.dtype && from.weights == said.weights;
}

// The model, or what the recipe has a checkpoint written as.
Result<FoundModel> find_source(const BuildOrder& order) {
  const auto& exporting = order.recipe.exporting;
  if (!exporting) return find_given(order.model, order.where.host);
  if (names_checkpoint(order.model))
    return find_given(order.model, order.where.host, {}, *exporting);
  const auto there = exported_in(Path(order.model).parent_path());
  if (there && is_written_as(*there, *exporting)) return find_given(order.model, order.where.host);
  return fail(Fault::bad_input, "'" + printable(order.model) + "' is no checkpoint",
              "the recipe says how one is exported (`export`)",
              "name the checkpoint's folder, or take `export` out of the recipe");
}

Result<BuildJob> make_job(const BuildOrder& order) {
  BuildJob job;
  HONE_TRY(FoundModel found, find_source(order));
  job.model = std::move(found.file);
  job.exported = std::move(found.exported);
  HONE_TRY_DO(load_whole_model(job.model));
  job.recipe = order.recipe;
  job.output = order.output;
  job.overwrite = order.overwrite;
  job.rebuilds = order.rebuilds;
  job.allows_unsupported = !order.holds_coverage;
  job.tool_version = version_number();
  job.notes = order.notes;
  job.notes.insert(job.notes.begin(), found.notes.begin(), found.notes.end());
  if (order.keeps_cache && !order.where.host.cache.empty())
    job.cache = Path(order.where.host.cache) / "builds";
  return job;
}

}  // namespace

Result<std::string> hash_of_libraries(const std::vector<Path>& libraries) {
  Sha256 hash;
  for (const Path& library : libraries) {
    HONE_TRY(const Digest digest, hash_of_file(library));
    hash.add_field(digest.view());
  }
  return hash.finish().hex();
}

Result<BuildReceipt> build_model(const BuildOrder& order, const Watch& watch) {
  HONE_TRY(BuildJob job, make_job(order));
  HONE_TRY_DO(settle_target(order, job));
  HONE_TRY(BuildTools tools, make_build_tools(order, watch));
  HONE_TRY(const std::string shapes, settle_shapes(order, tools, job));
  HONE_TRY(const SettledInputs inputs, settle_stages(order, job, shapes));
  tools.run.shape_config = inputs.shape_config;
  if (const std::string opening = describe_opening(job.recipe); !opening.empty())
    job.notes.push_back(opening);
  job.notes.insert(job.notes.end(), inputs.notes.begin(), inputs.notes.end());
  HONE_TRY(job.runtime_key, runtime_key(tools));
  HONE_TRY(BuildReceipt receipt, build(tools, job));
  HONE_TRY_DO(keep_opening(job.output, job.recipe));
  HONE_TRY_DO(keep_processor(processor_place(job.model, job.exported), job.output));
  return receipt;
}

Job jobs::build() { return job_of(build_model); }

}  // namespace hone
