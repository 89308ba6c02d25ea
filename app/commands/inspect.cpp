// What a model is: inputs, outputs, operators, weights, precision, identity.

#include "flow/inspect.h"

#include "app/command.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "flow/parts/orders.h"
#include "report/model/facts_text.h"
#include "report/parts/parts_text.h"

namespace hone::app::commands {
namespace {

Result<ExitCode> run_parts(const InspectOrder& order, const FoundParts& found, const Call& call) {
  StepProgress progress(call);
  HONE_TRY(const CompositeFacts facts, inspect_parts(found, order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(facts, inspect_schema_version), describe_parts(facts)));
  return ExitCode::done;
}

Result<ModelFacts> inspect_aloud(const InspectOrder& order, const Call& call) {
  Progress progress(call, "reading weights");
  return inspect_model(order, progress.watch());
}

Result<ExitCode> run(const InspectOrder& order, const Call& call) {
  HONE_TRY(const auto parts, find_parts(order.model, order.host));
  if (parts) return run_parts(order, *parts, call);
  HONE_TRY(const ModelFacts facts, inspect_aloud(order, call));
  HONE_TRY_DO(call.answer(to_document(facts, inspect_schema_version),
                          describe_facts(facts, call.style(), call.is_verbose())));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<InspectOrder>();
  options.model(order->model);
  declare_host(options, order->host);
  options.flag("--quantization", order->quantization,
               "list every quantized tensor with scale, zero point, type and axis");
  options.flag("--content", order->content,
               "add a fingerprint of the weights too (reads all of them)");
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command inspect() {
  return {.name = "inspect",
          .group = "look at a model",
          .summary = "Say what a model is: inputs, operators, weights, precision, identity",
          .help =
              "Reads the structure alone, so a model of any size takes milliseconds. The\n"
              "fingerprint is the same for two models that compute the same graph, whatever\n"
              "their nodes are called and wherever their weights are stored.",
          .examples =
              "hone inspect bert.onnx\n"
              "hone inspect bert.int8.onnx --quantization\n"
              "hone inspect bert.onnx --content --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
