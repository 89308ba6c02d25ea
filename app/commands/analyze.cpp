// What a target will make of a model, and what could be done about it before it is built.

#include "inspect/analyze/analyze.h"

#include "app/command.h"
#include "app/inputs.h"
#include "app/model_path.h"
#include "app/outputs.h"
#include "app/tools.h"
#include "app/where.h"
#include "base/process.h"
#include "inspect/coverage/probe_ops.h"
#include "report/analyze/analyze_text.h"
#include "runtime/ep_names.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  WhereArguments where;
  std::string input_data;
  std::string shape_config;
  std::string rules;  // a folder in the place of the rules that come with hone
  bool runs_unknown = false;
  bool skips_run = false;
  std::string optim_config;
  std::string output;
  bool overwrite = false;
  std::int64_t timeout = 300;
};

Result<RunPlan> run_plan(const Arguments& arguments, const GivenModel& given) {
  HONE_TRY(RunPlan plan, plan_of(given));
  plan.input_data = arguments.input_data;
  plan.shape_config = arguments.shape_config;
  plan.samples = 1;
  return plan;
}

Result<OpProbeJob> probe_job(const Arguments& arguments, const RunPlan& plan,
                             StepProgress& progress) {
  OpProbeJob job;
  job.run = plan;
  HONE_TRY(job.program, own_program());
  job.limits.open = std::chrono::seconds(arguments.timeout);
  job.progress = [&progress](const std::string& what) { progress.step(what); };
  return job;
}

Result<Analysis> look(const Arguments& arguments, StepProgress& progress) {
  HONE_TRY(const GivenModel given, find_model(arguments.model, arguments.where));
  HONE_TRY(const Model model, load_model(given.file));
  HONE_TRY(RunPlan plan, run_plan(arguments, given));
  SettledInputs inputs{plan.shape_config, {}};
  if (arguments.skips_run) {
    HONE_TRY_DO(check_inputs(plan.shape_config, {given.file}));
  } else {
    HONE_TRY(inputs, settle_inputs(plan));
  }
  plan.shape_config = inputs.shape_config;
  HONE_TRY(const std::vector<NamedRules> rules, load_rules(arguments.rules));
  HONE_TRY(const TransformTools tools, make_tools(arguments.where, progress));
  HONE_TRY(const OpProbeJob probe, probe_job(arguments, plan, progress));
  AnalyzeJob job;
  job.target = plan.target;
  job.rules = find_rules(rules, ep_short_name(plan.target.ep), plan.target.device);
  if (arguments.runs_unknown) {
    job.probe = [&](const Model& inferred, CoverageFacts& facts) {
      return run_unknown_ops(inferred, probe, facts);
    };
  }
  HONE_TRY(Analysis analysis, analyze(tools, model, job));
  analysis.model = arguments.model;
  analysis.notes.insert(analysis.notes.begin(), given.notes.begin(), given.notes.end());
  analysis.notes.insert(analysis.notes.end(), inputs.notes.begin(), inputs.notes.end());
  if (!arguments.skips_run) {
    progress.step("opening the model on " + plan.target.ep);
    analysis.placement = find_placement(plan, probe.program, probe.limits);
    settle_support(analysis);
  }
  return analysis;
}

// What `hone optimize -c` takes.
Status write_optim_config(const Arguments& arguments, const Analysis& analysis) {
  if (arguments.optim_config.empty()) return done();
  Json flags = Json::object();
  for (const Suggestion& suggestion : analysis.suggestions) flags.set(suggestion.capability, true);
  const Json document = Json::object().set("optim", std::move(flags));
  return write_file(arguments.optim_config, document.dump() + "\n");
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_outputs({arguments.output, arguments.optim_config}, arguments.overwrite,
                            {arguments.model, arguments.input_data}));
  HONE_TRY(PlacementGate gate, PlacementGate::read(arguments.where.require_placement));
  StepProgress progress(call);
  HONE_TRY(Analysis analysis, look(arguments, progress));
  progress.end();
  const Json document = to_document(analysis, analyze_schema_version);
  HONE_TRY_DO(write_optim_config(arguments, analysis));
  if (!arguments.output.empty()) {
    HONE_TRY_DO(write_file(arguments.output, document.dump() + "\n"));
  }
  HONE_TRY_DO(call.answer(document, describe_analysis(analysis)));
  const bool is_placed = !analysis.placement || gate.check(*analysis.placement);
  return is_placed && analysis.support == Support::supported ? ExitCode::done : ExitCode::not_held;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  declare_where(options, arguments->where);
  options.text("--rules FOLDER", arguments->rules,
               "rule files in the place of those that come with hone");
  options.flag("--run-unknown-op", arguments->runs_unknown,
               "run each node that no rule speaks of, alone, on the EP");
  options.flag("--no-run", arguments->skips_run, "do not open the model on the EP");
  options.text("--input-data FILE", arguments->input_data,
               "inputs to open it with, as .npz; else seeded ones");
  options.shape_config(arguments->shape_config);
  options.text("--optim-config FILE", arguments->optim_config,
               "write what is suggested, for `hone optimize -c`");
  options.text("-o,--output FILE", arguments->output, "write the result as JSON as well");
  options.flag("--overwrite", arguments->overwrite, "replace files that are there");
  options.integer("--timeout SECONDS", arguments->timeout, "for opening the model (300)",
                  Need::optional, {.least = 1, .most = 86'400});
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command analyze() {
  return {.name = "analyze",
          .group = "look at a model",
          .summary = "Say what a target makes of a model, and what could be fused",
          .help =
              "Counts what the graph is made of, which nodes the EP takes (by rules, and by\n"
              "opening the model on it where it is installed), what `hone optimize` could\n"
              "fuse, and which of that suits the target. Of a quantized model it says what\n"
              "is wrong with its scales, and which nodes the CPU EP computes in float all\n"
              "the same. Exit 3 unless the target is known to take every node.",
          .examples =
              "hone analyze model.onnx\n"
              "hone analyze model.onnx --ep qnn --device npu\n"
              "hone analyze model.onnx --optim-config flags.json",
          .declare = declare};
}

}  // namespace hone::app::commands
