// A faster graph for the same numbers, and what each optimizer did to it.

#include "transform/optimize.h"

#include "app/command.h"
#include "app/errors.h"
#include "app/interrupt.h"
#include "app/step_progress.h"
#include "app/table.h"
#include "app/where.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/transform_tools.h"
#include "report/optimize/optimize_text.h"
#include "transform/bisect.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
  std::string config;
  bool lists = false;
  bool checks = false;
  bool explains = false;
  bool bisects = false;
  bool skips_verification = false;
  SampleSource samples;
  std::int64_t sample_count = 2;
  Where where;
};

std::vector<std::string> capability_names() {
  std::vector<std::string> names;
  for (const Capability& capability : all_capabilities()) names.emplace_back(capability.name);
  return names;
}

// {"gelu_fusion": true, ...}, alone or below "optim" or "capabilities".
Status read_config(const std::string& path, Arguments& arguments) {
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json document, Json::parse(text));
  const Json* flags = &document;
  for (const char* key : {"optim", "capabilities"}) {
    if (const Json* inner = document.find(key)) flags = inner;
  }
  if (flags->as_object() == nullptr) {
    return fail(Fault::bad_input, "'" + path + "' holds no capabilities", "it is no JSON object",
                R"(write it as {"gelu_fusion": true})");
  }
  for (const auto& [name, value] : *flags->as_object()) {
    HONE_TRY(const Capability* capability, find_capability(name));
    const bool* is_on = value.as_bool();
    if (is_on == nullptr) {
      return fail(Fault::bad_input, "'" + name + "' in '" + path + "' is neither true nor false");
    }
    (*is_on ? arguments.enabled : arguments.disabled).emplace_back(capability->name);
  }
  return done();
}

Result<ExitCode> list(const Call& call) {
  Json document = Json::array();
  std::string_view category;
  std::vector<const Capability*> sorted;
  for (const Capability& capability : all_capabilities()) sorted.push_back(&capability);
  std::ranges::stable_sort(sorted, {}, &Capability::category);
  Rows rows;
  for (const Capability* one : sorted) {
    document.push(Json::object()
                      .set("name", json_name(*one))
                      .set("category", one->category)
                      .set("summary", one->summary)
                      .set("source", source_of(*one)));
    if (one->category != category) rows.push_back({std::string(category = one->category), ""});
    rows.push_back({"  " + std::string(one->name), std::string(one->summary)});
  }
  HONE_TRY_DO(call.answer(
      Json::object().set("schema_version", optimize_schema_version).set("capabilities", document),
      table(rows)));
  return ExitCode::done;
}

Result<ExitCode> check_all(const TransformTools& tools, const Model& model,
                           const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<CapabilityCheck> checks, check_capabilities(tools, model));
  Json list = Json::array();
  for (const CapabilityCheck& check : checks) list.push(to_json(check));
  const Json document = Json::object()
                            .set("schema_version", optimize_schema_version)
                            .set("model", arguments.model)
                            .set("checks", std::move(list));
  HONE_TRY_DO(call.answer(document, describe_checks(checks, {.explains = arguments.explains})));
  return ExitCode::done;
}

Result<ExitCode> bisect(const TransformTools& tools, const Model& model, const Arguments& arguments,
                        StepProgress& progress, const Call& call) {
  HONE_TRY(const std::vector<Sample> samples, samples_for(model, arguments.samples));
  HONE_TRY(const BisectReport report,
           bisect_optimizers(tools, model, samples, {.stop = &stop_when_interrupted()}));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, optimize_schema_version), describe_bisect(report)));
  end_if_interrupted();
  return ExitCode::done;
}

Result<ExitCode> answer(OptimizeOutcome outcome, const Arguments& arguments, const Call& call) {
  OptimizeReport& report = outcome.report;
  report.model = arguments.model;
  const bool holds = !report.verified || report.verified->holds;
  if (holds && !arguments.output.empty()) {
    HONE_TRY(const SaveReport saved,
             save_model(outcome.result.model, arguments.output,
                        {.data_file = "", .overwrite = arguments.overwrite}));
    report.output = arguments.output;
    for (const Path& file : saved.data_files) report.data_files.push_back(file.string());
  }
  HONE_TRY_DO(call.answer(to_document(report, optimize_schema_version),
                          describe_optimize(report, {.explains = arguments.explains})));
  if (holds) return ExitCode::done;
  const Error error =
      report.verified->is_undecided
          ? Error{Fault::runtime, "it cannot be told whether the optimized model computes the same",
                  "it was not written",
                  "--input-data FILE compares on real inputs; --no-verify writes it all the same"}
          : Error{Fault::runtime, "the optimized model computes something else",
                  "it was not written", "--bisect finds the optimizer of ONNX Runtime"};
  write_to_stderr(to_text(error, Style(call.settings().color_on_stderr)));
  return ExitCode::failed;
}

Status check(const Arguments& arguments) {
  const bool needs_output = !arguments.checks && !arguments.bisects;
  const char* missing = arguments.model.empty()                    ? "MODEL"
                        : needs_output && arguments.output.empty() ? "--output FILE"
                                                                   : nullptr;
  if (missing != nullptr) {
    return fail(Fault::bad_input, std::string("hone optimize needs ") + missing, {},
                "hone help optimize");
  }
  return arguments.output.empty() ? done() : refuse_existing(arguments.output, arguments.overwrite);
}

// What is compared runs on inputs that the model as it came was seen to take.
Result<std::vector<std::string>> settle_samples(const Path& model, Arguments& arguments) {
  SampleSource& samples = arguments.samples;
  const bool runs = arguments.bisects || (!arguments.checks && !arguments.skips_verification);
  if (!runs) {
    HONE_TRY_DO(check_inputs(samples.shape_config, {model}));
    return std::vector<std::string>();
  }
  HONE_TRY(
      SettledInputs inputs,
      settle_inputs(arguments.where, {model, samples.data, samples.shape_config, samples.seed}));
  samples.shape_config = inputs.shape_config;
  return std::move(inputs.notes);
}

Result<ExitCode> run(Arguments arguments, const Call& call) {
  if (arguments.lists) return list(call);
  HONE_TRY_DO(check(arguments));
  if (!arguments.config.empty()) HONE_TRY_DO(read_config(arguments.config, arguments));
  HONE_TRY(OptimizePlan plan, plan_capabilities(arguments.enabled, arguments.disabled));
  arguments.samples.count = static_cast<std::size_t>(arguments.sample_count);
  plan.verifies = !arguments.skips_verification;
  HONE_TRY(const Path path, find_model_file(arguments.model));
  HONE_TRY(const Model model, load_whole_model(path));
  StepProgress progress(call);
  HONE_TRY(const TransformTools tools, make_tools(arguments.where.host, progress.watch()));
  HONE_TRY(const std::vector<std::string> notes, settle_samples(path, arguments));
  plan.samples = arguments.samples;
  if (arguments.checks) return check_all(tools, model, arguments, call);
  if (arguments.bisects) return bisect(tools, model, arguments, progress, call);
  HONE_TRY(OptimizeOutcome outcome, optimize(tools, model, plan));
  progress.end();
  outcome.report.notes.insert(outcome.report.notes.end(), notes.begin(), notes.end());
  return answer(std::move(outcome), arguments, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model, "MODEL", model_help, Need::optional);
  options.text("-o,--output FILE", arguments->output, "where the optimized model goes");
  options.flag("--overwrite", arguments->overwrite, "replace an output that exists");
  options.switches(capability_names(), arguments->enabled, arguments->disabled,
                   "switch a capability on or off");
  options.text("-c,--config FILE", arguments->config,
               "capabilities as JSON: name to true or false");
  options.flag("--list-capabilities", arguments->lists, "say what there is to switch");
  options.flag("--check-optim", arguments->checks, "say what each capability alone would change");
  options.flag("--explain", arguments->explains, "say what declined, and why");
  options.flag("--bisect", arguments->bisects,
               "find ONNX Runtime's optimizer that breaks this model or its numbers");
  options.flag("--no-verify", arguments->skips_verification, "do not compare outputs");
  options.text("--input-data FILE", arguments->samples.data,
               "inputs to compare on, as .npz; else seeded ones");
  options.shape_config(arguments->samples.shape_config);
  options.integer("--samples N", arguments->sample_count, "seeded samples to compare on (2)",
                  Need::optional, {.least = 1, .most = 1000});
  options.seed(arguments->samples.seed, "of the seeded samples");
  declare_runtime(options, arguments->where.host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command optimize() {
  return {.name = "optimize",
          .group = "change a model",
          .summary = "Fuse and fold a graph, check that it computes the same, say what changed",
          .help =
              "Runs the optimizers that are switched on: ONNX Runtime's own, and passes of hone\n"
              "for what those miss. Says what each did; one that was asked for and changed\n"
              "nothing is named. The outputs before and after are compared, and a model that\n"
              "computes something else is not written.",
          .examples =
              "hone optimize model.onnx -o fast.onnx --enable-gelu-fusion\n"
              "hone optimize model.onnx --check-optim\n"
              "hone optimize model.onnx --bisect\n"
              "hone optimize --list-capabilities",
          .declare = declare};
}

}  // namespace hone::app::commands
