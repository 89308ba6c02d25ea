// What a target will make of a model, and what could be done about it before it is built.

#include "flow/analyze.h"

#include "app/command.h"
#include "app/outputs.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "flow/capability_switches.h"
#include "flow/where.h"
#include "report/analyze/analyze_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  AnalyzeOrder order;
  std::string optim_config;
  std::string output;
  bool overwrite = false;
};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  const AnalyzeOrder& order = arguments.order;
  if (!order.opens_model && order.where.least_placement)
    return misuse("--require-placement needs the model opened", "leave --no-run out");
  HONE_TRY_DO(check_outputs({arguments.output, arguments.optim_config}, arguments.overwrite,
                            {order.model, order.input_data}));
  StepProgress progress(call);
  HONE_TRY(const Analysis analysis, analyze_model(order, progress.watch()));
  progress.end();
  const Json document = to_document(analysis, analyze_schema_version);
  if (!arguments.optim_config.empty())  // what `hone optimize -c` takes
    HONE_TRY_DO(write_file(arguments.optim_config, switches_for(analysis).dump() + "\n"));
  HONE_TRY_DO(write_report(arguments.output, document));
  HONE_TRY_DO(call.answer(document, describe_analysis(analysis)));
  const bool is_placed =
      check_placement(order.where, analysis.placement.value_or(Placement())).has_value();
  return is_placed && analysis.support == Support::supported ? ExitCode::done : ExitCode::not_held;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->order.model);
  declare_where(options, arguments->order.where);
  options.text("--rules FOLDER", arguments->order.rules,
               "rule files in the place of those that come with hone");
  options.flag("--run-unknown-op", arguments->order.runs_unknown,
               "run each node that no rule speaks of, alone, on the EP");
  options.no_flag("--no-run", arguments->order.opens_model, "do not open the model on the EP");
  options.text("--input-data FILE", arguments->order.input_data,
               "inputs to open it with, as .npz; else seeded ones");
  options.shape_config(arguments->order.shape_config);
  options.text("--optim-config FILE", arguments->optim_config,
               "write what is suggested, for `hone optimize -c`");
  options.text("-o,--output FILE", arguments->output, "write the result as JSON as well");
  options.flag("--overwrite", arguments->overwrite, "replace files that are there");
  options.integer("--timeout SECONDS", arguments->order.timeout_s, "for opening the model (300)",
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
