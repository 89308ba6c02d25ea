// A model without its weights, to share a structure that may be seen with weights that may not.

#include "flow/strip.h"

#include "app/command.h"
#include "app/progress.h"
#include "app/where.h"
#include "report/model/change_text.h"

namespace hone::app::commands {
namespace {

Result<StrippedModel> strip(const StripOrder& order, const Call& call) {
  Progress progress(call, "reading weights");
  return strip_model(order, progress.watch());
}

Result<ExitCode> run(const StripOrder& order, const Call& call) {
  HONE_TRY(const StrippedModel made, strip(order, call));
  HONE_TRY_DO(call.answer(to_document(made, weights_schema_version), describe_stripped(made)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<StripOrder>();
  options.model(order->model);
  declare_host(options, order->host);
  options.output(order->output, order->overwrite,
                 "the model without weights; its statistics go beside it");
  options.integer("--min-bytes N", order->min_bytes,
                  "tensors smaller than this stay in the model (1024)", Need::optional,
                  {.least = 0});
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command strip() {
  return {.name = "strip",
          .group = "share a structure",
          .summary = "Take the weights out of a model and keep their statistics",
          .help =
              "Replaces every large weight (floats, and integers of at most 16 bits) by a\n"
              "reference to a data file that need not exist, and writes mean and standard\n"
              "deviation of each to NAME.stats.json beside the output. Shapes, indices and\n"
              "masks stay. `hone hydrate` makes a model that runs out of the two files.",
          .examples = "hone strip bert.onnx -o shared/bert.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
