#include "flow/compile.h"

#include <set>

#include "flow/given_model.h"
#include "flow/inputs.h"
#include "transform/compile/compile.h"
#include "transform/compile/context.h"

namespace hone {
namespace {

// What is verified runs on inputs that the model was seen to take.
Status settle_samples(const AheadOrder& order, const AheadWatch& watch, RunPlan& plan) {
  if (order.skips_verification) return check_inputs(plan.shape_config, {plan.model});
  HONE_TRY(const SettledInputs inputs, settle_inputs(plan, order.where.host));
  plan.shape_config = inputs.shape_config;
  for (const std::string& note : inputs.notes) {
    if (watch.note) watch.note(note);
  }
  return done();
}

Result<CompileJob> job_for(const AheadOrder& order, const GivenModel& given,
                           const AheadWatch& watch) {
  CompileJob job;
  HONE_TRY(job.run, plan_of(given));
  job.run.input_data = order.input_data;
  job.run.shape_config = order.shape_config;
  job.run.seed = order.seed;
  job.run.samples = 1;
  HONE_TRY_DO(settle_samples(order, watch, job.run));
  job.output = order.output;
  job.embeds = order.embeds;
  job.overwrite = order.overwrite;
  job.verifies = !order.skips_verification;
  if (!order.skips_cache) job.cache = Path(order.where.host.cache) / "compiled";
  job.program = order.where.host.program;
  job.limits.open = std::chrono::seconds(order.timeout_s);
  job.limits.block = std::chrono::seconds(order.timeout_s);
  job.progress = [watch](const std::string& step) { watch.watch.step(step); };
  return job;
}

void add_notes(const GivenModel& given, CompileReport& report) {
  report.notes.insert(report.notes.begin(), given.notes.begin(), given.notes.end());
}

// "model.onnx", "model_1.onnx".
Path output_for(const Path& model, const Path& folder, std::set<std::string>& taken) {
  const std::string stem = model.stem().string();
  std::string name = stem;
  for (int number = 1; !taken.insert(name).second; ++number)
    name = stem + "_" + std::to_string(number);
  return folder / (name + ".onnx");
}

Status make_folder(const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return fail(Fault::io, "cannot make '" + folder + "'", problem.message());
  return done();
}

}  // namespace

Result<CompileReport> compile_one(const AheadOrder& order, const AheadWatch& watch) {
  HONE_TRY(const GivenModel given, find_model(order.model, order.where));
  HONE_TRY(const CompileJob job, job_for(order, given, watch));
  HONE_TRY(CompileReport report, compile_ahead(job));
  add_notes(given, report);
  return report;
}

Result<SharedCompileReport> compile_shared(const AheadOrder& order, const AheadWatch& watch) {
  HONE_TRY_DO(make_folder(order.output));
  std::vector<std::string> models = {order.model};
  models.insert(models.end(), order.others.begin(), order.others.end());
  std::vector<GivenModel> given;
  std::vector<CompileJob> jobs;
  std::set<std::string> taken;
  for (const std::string& model : models) {
    HONE_TRY(given.emplace_back(), find_model(model, order.where));
    HONE_TRY(CompileJob job, job_for(order, given.back(), watch));
    job.output = output_for(job.run.model, order.output, taken);
    jobs.push_back(std::move(job));
  }
  SharedCompileReport shared;
  HONE_TRY(shared.models, compile_together(jobs));
  for (std::size_t i = 0; i < shared.models.size(); ++i) add_notes(given[i], shared.models[i]);
  return shared;
}

Result<ContextCheck> check_compiled(const AheadOrder& order, const AheadWatch& watch) {
  AheadOrder looks = order;
  looks.skips_verification = true;  // nothing runs
  HONE_TRY(const GivenModel given, find_model(order.model, order.where));
  HONE_TRY(const CompileJob job, job_for(looks, given, watch));
  HONE_TRY(const Model model, load_model(job.run.model));
  HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(model));
  if (contexts.empty()) {
    return fail(Fault::bad_input, "'" + job.run.model + "' is not compiled",
                "it has no EPContext node", "hone compile " + job.run.model + " -o FILE --ep NAME");
  }
  HONE_TRY(const CompileIdentity here, identity_here(job));
  ContextCheck found = check_context(model, here);
  found.contexts = contexts;
  return found;
}

}  // namespace hone
