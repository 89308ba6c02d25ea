// A model compiled ahead of time for an EP, so that opening it is fast.

#include "transform/compile/compile.h"

#include <set>

#include "app/command.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "report/compile/compile_text.h"
#include "transform/compile/context.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  std::vector<std::string> others;
  std::string output_folder;
  bool overwrite = false;
  bool embeds = false;
  bool checks = false;
  bool skips_cache = false;
  bool skips_verification = false;
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::int64_t timeout = 300;
  Where where;
};

// What is verified runs on inputs that the model was seen to take.
Status settle_samples(const Arguments& arguments, const Call& call, RunPlan& plan) {
  if (arguments.checks || arguments.skips_verification)
    return check_inputs(plan.shape_config, {plan.model});
  HONE_TRY(const SettledInputs inputs, settle_inputs(plan, arguments.where.host));
  plan.shape_config = inputs.shape_config;
  for (const std::string& note : inputs.notes) call.note(note);
  return done();
}

Result<CompileJob> make_job(const Arguments& arguments, const GivenModel& given, const Call& call,
                            StepProgress& progress) {
  CompileJob job;
  HONE_TRY(job.run, plan_of(given));
  job.run.input_data = arguments.input_data;
  job.run.shape_config = arguments.shape_config;
  job.run.seed = arguments.seed;
  job.run.samples = 1;
  HONE_TRY_DO(settle_samples(arguments, call, job.run));
  job.output = arguments.output;
  job.embeds = arguments.embeds;
  job.overwrite = arguments.overwrite;
  job.verifies = !arguments.skips_verification;
  if (!arguments.skips_cache) {
    job.cache = Path(arguments.where.host.cache) / "compiled";
  }
  job.program = arguments.where.host.program;
  job.limits.open = std::chrono::seconds(arguments.timeout);
  job.limits.block = std::chrono::seconds(arguments.timeout);
  job.progress = [&progress](const std::string& step) { progress.step(step); };
  return job;
}

Result<ExitCode> check(const CompileJob& job, const Call& call) {
  HONE_TRY(const Model model, load_model(job.run.model));
  HONE_TRY(const std::vector<ContextNode> contexts, read_contexts(model));
  if (contexts.empty()) {
    return fail(Fault::bad_input, "'" + job.run.model + "' is not compiled",
                "it has no EPContext node", "hone compile " + job.run.model + " -o FILE --ep NAME");
  }
  HONE_TRY(const CompileIdentity here, identity_here(job));
  ContextCheck found = check_context(model, here);
  found.contexts = contexts;
  HONE_TRY_DO(
      call.answer(to_document(found, compile_schema_version), describe_context_check(found)));
  return found.state == ContextState::fits ? ExitCode::done : ExitCode::not_held;
}

void add_notes(const GivenModel& given, CompileReport& report) {
  report.notes.insert(report.notes.begin(), given.notes.begin(), given.notes.end());
}

// "model.onnx", "model_1.onnx": two of one name keep apart.
Path output_for(const Path& model, const Path& folder, std::set<std::string>& taken) {
  const std::string stem = model.stem().string();
  std::string name = stem;
  for (int number = 1; !taken.insert(name).second; ++number)
    name = stem + "_" + std::to_string(number);
  return folder / (name + ".onnx");
}

Result<ExitCode> compile_shared(const Arguments& arguments, const Call& call,
                                StepProgress& progress) {
  if (arguments.checks || arguments.embeds || !arguments.output.empty()) {
    return fail(Fault::bad_input, "--share-with goes with none of --check, --embed, --output", {},
                "--output-dir DIR takes all models and what they share");
  }
  if (arguments.output_folder.empty()) {
    return fail(Fault::bad_input, "--share-with needs --output-dir DIR", {}, "hone help compile");
  }
  std::error_code problem;
  std::filesystem::create_directories(arguments.output_folder, problem);
  if (problem) {
    return fail(Fault::io, "cannot make '" + arguments.output_folder + "'", problem.message());
  }
  std::vector<std::string> models = {arguments.model};
  models.insert(models.end(), arguments.others.begin(), arguments.others.end());
  std::vector<GivenModel> given;
  std::vector<CompileJob> jobs;
  std::set<std::string> taken;
  for (const std::string& model : models) {
    HONE_TRY(given.emplace_back(), find_model(model, arguments.where));
    HONE_TRY(CompileJob job, make_job(arguments, given.back(), call, progress));
    job.output = output_for(job.run.model, arguments.output_folder, taken);
    jobs.push_back(std::move(job));
  }
  HONE_TRY(std::vector<CompileReport> reports, compile_together(jobs));
  for (std::size_t i = 0; i < reports.size(); ++i) add_notes(given[i], reports[i]);
  progress.end();
  std::string text;
  for (const CompileReport& report : reports) text += describe_compile(report);
  HONE_TRY_DO(call.answer(
      to_document(SharedCompileReport{std::move(reports)}, compile_schema_version), text));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  StepProgress progress(call);
  if (!arguments.others.empty()) return compile_shared(arguments, call, progress);
  if (!arguments.checks && arguments.output.empty()) {
    return fail(Fault::bad_input, "hone compile needs --output FILE", {}, "hone help compile");
  }
  HONE_TRY(const GivenModel given, find_model(arguments.model, arguments.where));
  HONE_TRY(const CompileJob job, make_job(arguments, given, call, progress));
  if (arguments.checks) return check(job, call);
  HONE_TRY(CompileReport report, compile_ahead(job));
  add_notes(given, report);
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, compile_schema_version), describe_compile(report)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.text("-o,--output FILE", arguments->output, "where the compiled model goes");
  options.texts("--share-with MODEL", arguments->others,
                "another model to compile with it, so that they share contexts");
  options.text("--output-dir DIR", arguments->output_folder, "where models that share go");
  options.flag("--overwrite", arguments->overwrite, "replace an output that exists");
  options.flag("--embed", arguments->embeds, "put the compiled code into the model, not beside it");
  options.flag("--check", arguments->checks,
               "say whether a compiled model fits what is here; exit 3 if not");
  options.flag("--no-cache", arguments->skips_cache, "compile even if it was done before");
  options.flag("--no-verify", arguments->skips_verification,
               "do not load and run the compiled model");
  options.text("--input-data FILE", arguments->input_data, "inputs to check it on, as .npz");
  options.shape_config(arguments->shape_config);
  options.seed(arguments->seed, "of the random inputs");
  options.integer("--timeout SECONDS", arguments->timeout, "for compiling (300)", Need::optional,
                  {.least = 1, .most = 86'400});
  declare_where(options, arguments->where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command compile() {
  return {.name = "compile",
          .group = "change a model",
          .summary = "Compile a model ahead of time for an EP; check that it loads and runs",
          .help =
              "The EP compiles the nodes it takes, in a process of its own; the result is a\n"
              "model with EPContext nodes, its compiled code beside it or (--embed) inside. It\n"
              "is loaded and run, and compared with the source on the same target, before it\n"
              "is written. Results are kept in ~/.cache/hone by model, EP library, driver,\n"
              "options and ONNX Runtime. --check tells a stale or foreign one. With\n"
              "--share-with, several models are compiled in one process and what the EP finds\n"
              "in more than one of them is stored once.",
          .examples =
              "hone compile model.onnx -o model.ctx.onnx --ep qnn --device npu\n"
              "hone compile model.ctx.onnx --check --ep qnn --device npu\n"
              "hone compile prompt.onnx --share-with token.onnx --output-dir both --ep qnn",
          .declare = declare};
}

}  // namespace hone::app::commands
