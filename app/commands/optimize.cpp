// A faster graph for the same numbers, and what each optimizer did to it.

#include "flow/optimize.h"

#include "app/command.h"
#include "app/errors.h"
#include "app/interrupt.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "flow/capability_switches.h"
#include "report/optimize/optimize_text.h"
#include "transform/verify.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  OptimizeOrder order;
  std::string config;
  bool lists = false;
  bool checks = false;
  bool explains = false;
  bool bisects = false;
};

Result<ExitCode> list(const Call& call) {
  const CapabilityList list = list_capabilities();
  HONE_TRY_DO(call.answer(to_document(list, optimize_schema_version), describe_capabilities(list)));
  return ExitCode::done;
}

Result<ExitCode> check_all(const Arguments& arguments, StepProgress& progress, const Call& call) {
  HONE_TRY(const std::vector<CapabilityCheck> checks,
           check_optimizers(arguments.order, progress.watch()));
  progress.end();
  const Json document = Json::object()
                            .set("schema_version", optimize_schema_version)
                            .set("model", arguments.order.model)
                            .set("checks", to_json(checks));
  HONE_TRY_DO(call.answer(document, describe_checks(checks, {.explains = arguments.explains})));
  return ExitCode::done;
}

Result<ExitCode> bisect(const Arguments& arguments, StepProgress& progress, const Call& call) {
  HONE_TRY(const BisectReport report,
           bisect_model(arguments.order, progress.watch(&stop_when_interrupted())));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(report, optimize_schema_version), describe_bisect(report)));
  end_if_interrupted();
  return ExitCode::done;
}

Error not_written(const Verification& verified) {
  Error error = why_not_taken(verified);
  error.cause = "it was not written";
  if (verified.is_undecided) error.hint += "; --no-verify writes it all the same";
  return error;
}

Result<ExitCode> answer(const OptimizeReport& report, bool explains, const Call& call) {
  HONE_TRY_DO(call.answer(to_document(report, optimize_schema_version),
                          describe_optimize(report, {.explains = explains})));
  if (holds(report)) return ExitCode::done;
  const Style style(call.settings().color_on_stderr);
  write_to_stderr(to_text(not_written(*report.verified), style));
  return ExitCode::failed;
}

Status check(const Arguments& arguments) {
  const bool needs_output = !arguments.checks && !arguments.bisects;
  const char* missing = arguments.order.model.empty()                    ? "MODEL"
                        : needs_output && arguments.order.output.empty() ? "--output FILE"
                                                                         : nullptr;
  if (missing == nullptr) return done();
  return fail(Fault::bad_input, std::string("hone optimize needs ") + missing, {},
              "hone help optimize");
}

Result<ExitCode> run(Arguments arguments, const Call& call) {
  if (arguments.lists) return list(call);
  HONE_TRY_DO(check(arguments));
  if (!arguments.config.empty()) HONE_TRY_DO(add_switches_of(arguments.config, arguments.order));
  StepProgress progress(call);
  if (arguments.checks) return check_all(arguments, progress, call);
  if (arguments.bisects) return bisect(arguments, progress, call);
  HONE_TRY(const OptimizeReport report, optimize_model(arguments.order, progress.watch()));
  progress.end();
  return answer(report, arguments.explains, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model, "MODEL", model_help, Need::optional);
  options.text("-o,--output FILE", arguments->order.output, "where the optimized model goes");
  options.flag("--overwrite", arguments->order.overwrite, "replace an output that exists");
  options.switches(capability_names(), arguments->order.enabled, arguments->order.disabled,
                   "switch a capability on or off");
  options.text("-c,--config FILE", arguments->config,
               "capabilities as JSON: name to true or false");
  options.flag("--list-capabilities", arguments->lists, "say what there is to switch");
  options.flag("--check-optim", arguments->checks, "say what each capability alone would change");
  options.flag("--explain", arguments->explains, "say what declined, and why");
  options.flag("--bisect", arguments->bisects,
               "find ONNX Runtime's optimizer that breaks this model or its numbers");
  options.no_flag("--no-verify", arguments->order.verifies, "do not compare outputs");
  options.text("--input-data FILE", arguments->order.input_data,
               "inputs to compare on, as .npz; else seeded ones");
  options.shape_config(arguments->order.shape_config);
  options.integer("--samples N", arguments->order.samples, "seeded samples to compare on (2)",
                  Need::optional, {.least = 1, .most = 1000});
  options.seed(arguments->order.seed, "of the seeded samples");
  declare_runtime(options, arguments->order.where.host);
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
