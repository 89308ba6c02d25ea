#include "flow/build.h"

#include <algorithm>

#include "base/hash.h"
#include "base/hash_file.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/job.h"
#include "flow/transform_tools.h"
#include "flow/version.h"
#include "flow/where.h"
#include "pipeline/policy.h"
#include "report/build/opening.h"
#include "runtime/ep_names.h"
#include "runtime/target.h"

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

// A compilation that the policy chose is left out where the EP is not installed; one that somebody
// asked for fails here, before any work.
Status settle_compile(const BuildOrder& order, const BuildTools& tools, BuildJob& job) {
  if (!job.recipe.compile) return done();
  HONE_TRY(Worker worker, Worker::start(tools.program, tools.limits));
  const auto probed = worker.probe(tools.run);
  const std::string ep = ep_short_name(job.recipe.target.ep);
  const bool is_here = probed && std::ranges::any_of(probed->devices, [&](const Device& device) {
                         return ep_short_name(device.ep) == ep;
                       });
  if (is_here) return done();
  if (order.must_compile) {
    return fail(Fault::not_found, Trouble::absent,
                "cannot compile for " + describe(job.recipe.target) + " here",
                probed ? "ONNX Runtime offers no device of it" : probed.error().what,
                "--no-compile builds everything before that; `hone doctor " + ep +
                    "` says what is missing");
  }
  job.recipe.compile.reset();
  job.notes.push_back("not compiled: " + ep + " is not installed here");
  return done();
}

// Every stage that runs the model, runs it on the same inputs. Those that calibrate are made up
// where only others are given.
Result<SettledInputs> settle_stages(const BuildOrder& order, const BuildJob& job) {
  const bool calibrates = job.recipe.quantize && !job.recipe.quantize->calibration_data;
  return settle_inputs(order.where, {job.model, calibrates ? std::string() : order.input_data,
                                     order.shape_config, order.seed});
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

Result<BuildJob> make_job(const BuildOrder& order) {
  BuildJob job;
  HONE_TRY(job.model, find_model_file(order.model));
  HONE_TRY_DO(load_whole_model(job.model));
  job.recipe = order.recipe;
  job.output = order.output;
  job.overwrite = order.overwrite;
  job.rebuilds = order.rebuilds;
  job.tool_version = version_number();
  job.notes = order.notes;
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
  HONE_TRY(BuildTools tools, make_build_tools(order, watch));
  HONE_TRY_DO(settle_compile(order, tools, job));
  HONE_TRY(const SettledInputs inputs, settle_stages(order, job));
  tools.run.shape_config = inputs.shape_config;
  if (const std::string opening = describe_opening(job.recipe); !opening.empty())
    job.notes.push_back(opening);
  job.notes.insert(job.notes.end(), inputs.notes.begin(), inputs.notes.end());
  HONE_TRY(job.runtime_key, runtime_key(tools));
  HONE_TRY(BuildReceipt receipt, build(tools, job));
  HONE_TRY_DO(keep_opening(job.output, job.recipe));
  return receipt;
}

Job jobs::build() { return job_of(build_model); }

}  // namespace hone
