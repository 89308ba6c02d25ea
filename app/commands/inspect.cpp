// What a model is: inputs, outputs, operators, weights, precision, identity.

#include "inspect/facts.h"

#include "app/command.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "flow/given_model.h"
#include "flow/parts/orders.h"
#include "inspect/quantization.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "report/model/facts_text.h"
#include "report/parts/parts_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  Host host;
  bool quantization = false;
  bool content = false;
};

Result<std::string> hash_content(const Model& model, const Call& call) {
  Progress progress(call, "reading weights");
  HONE_TRY(const Digest digest,
           content_fingerprint(model, [&](std::uint64_t done, std::uint64_t total) {
             progress.update(done, total);
           }));
  return digest.hex();
}

Result<ExitCode> run_parts(const Arguments& arguments, const FoundParts& found, const Call& call) {
  StepProgress progress(call);
  const InspectOrder order{.model = arguments.model,
                           .quantization = arguments.quantization,
                           .content = arguments.content,
                           .host = arguments.host};
  HONE_TRY(const CompositeFacts facts, inspect_parts(found, order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(facts, inspect_schema_version), describe_parts(facts)));
  return ExitCode::done;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const auto parts, find_parts(arguments.model, arguments.host));
  if (parts) return run_parts(arguments, *parts, call);
  HONE_TRY(const Path file, find_model_file(arguments.model, arguments.host));
  HONE_TRY(const Model model, load_model(file));
  HONE_TRY(ModelFacts facts, gather_facts(model, file));
  if (arguments.quantization) facts.quantization = list_quantization(model);
  if (arguments.content) {
    HONE_TRY(facts.content_fingerprint, hash_content(model, call));
  }
  HONE_TRY_DO(
      call.answer(to_document(facts, 1), describe_facts(facts, call.style(), call.is_verbose())));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  declare_host(options, arguments->host);
  options.flag("--quantization", arguments->quantization,
               "list every quantized tensor with scale, zero point, type and axis");
  options.flag("--content", arguments->content,
               "add a fingerprint of the weights too (reads all of them)");
  return [arguments](const Call& call) { return run(*arguments, call); };
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
