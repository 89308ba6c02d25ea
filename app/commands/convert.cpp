// The same model in the operators of another opset.

#include "flow/convert.h"

#include "app/command.h"
#include "app/where.h"
#include "report/model/change_text.h"

namespace hone::app::commands {
namespace {

Result<ExitCode> run(const ConvertOrder& order, const Call& call) {
  HONE_TRY(const ConvertedModel made, convert_model(order));
  HONE_TRY_DO(call.answer(to_document(made, convert_schema_version), describe_conversion(made)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<ConvertOrder>();
  options.model(order->model);
  declare_host(options, order->host);
  options.output(order->output, order->overwrite, "where the converted model goes");
  options.integer("--opset N", order->opset, "the opset to convert to, 9 to 25", Need::required,
                  {.least = 1});
  options.text("--external-data WHERE", order->external_data,
               "keep, inline, or the name of a data file beside the output");
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command convert() {
  return {.name = "convert",
          .group = "change a model",
          .summary = "Say the same model in the operators of another opset",
          .help =
              "Goes up and down between opset 9 and 25, and up from 7 and 8. A node that the\n"
              "other opset cannot express is an error that names it, and nothing is written.\n"
              "Weights are copied as they are; without --external-data they go inside the file\n"
              "below 100 MiB and stay, or go, beside it above.",
          .examples =
              "hone convert bert.onnx --opset 21 -o bert.opset21.onnx\n"
              "hone convert big.onnx --opset 17 --external-data big.data -o big.opset17.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
