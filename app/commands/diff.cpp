// What changed between two models.

#include "flow/diff.h"

#include "app/command.h"
#include "app/where.h"
#include "report/model/diff_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string before;
  std::string after;
  Host host;
};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const ModelDiff diff, diff_of_models(arguments.before, arguments.after, arguments.host));
  HONE_TRY_DO(call.answer(to_document(diff, 1),
                          describe_model_diff(diff, call.style(), call.is_verbose())));
  return diff.equal ? ExitCode::done : ExitCode::not_held;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->before, "BEFORE", "the first model; -m and --model take it too");
  options.positional("AFTER", arguments->after, "the model to compare it with");
  options.takes_model(arguments->after);
  declare_host(options, arguments->host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command diff() {
  return {.name = "diff",
          .group = "look at a model",
          .summary = "Show what changed between two models; exit 3 if anything did",
          .help =
              "Compares opsets, inputs, outputs, nodes, attributes and weights. Nodes are\n"
              "matched by name, then by structure, so a renamed node is no change; neither is\n"
              "the order of nodes, nor where weights are stored. Long lists are cut; -v shows\n"
              "all of them, and so does --format json.",
          .examples =
              "hone diff bert.onnx bert.optimized.onnx\n"
              "hone diff bert.onnx bert.opset21.onnx --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
