// Weights for a model that was stripped: normal numbers of the statistics that were kept.

#include "flow/hydrate.h"

#include "app/command.h"
#include "app/progress.h"
#include "app/where.h"
#include "report/model/change_text.h"

namespace hone::app::commands {
namespace {

Result<HydratedModel> fill(const HydrateOrder& order, const Call& call) {
  Progress progress(call, "filling weights");
  return hydrate_model(order, progress.watch());
}

Result<ExitCode> run(const HydrateOrder& order, const Call& call) {
  HONE_TRY(const HydratedModel made, fill(order, call));
  HONE_TRY_DO(call.answer(to_document(made, weights_schema_version), describe_hydrated(made)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto order = std::make_shared<HydrateOrder>();
  options.model(order->model);
  declare_host(options, order->host);
  options.output(order->output, order->overwrite,
                 "the model with weights; its data file goes beside it");
  options.text("--stats FILE", order->statistics,
               "the statistics (NAME.stats.json beside the model)");
  options.seed(order->seed, "other numbers for another seed (0)");
  options.integer("--threads N", order->threads, "threads that make numbers (2)", Need::optional,
                  {.least = 1, .most = 256});
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command hydrate() {
  return {.name = "hydrate",
          .group = "share a structure",
          .summary = "Fill a stripped model with seeded weights of its statistics",
          .help =
              "Writes NAME.weights beside NAME.onnx, with normally distributed\n"
              "numbers that have the mean and standard deviation of the weights that were\n"
              "taken out. The same seed gives the same bytes on every machine. The model\n"
              "computes at the speed of the original; its answers mean nothing.",
          .examples =
              "hone hydrate shared/bert.onnx -o bert.onnx\n"
              "hone hydrate shared/bert.onnx --stats bert.stats.json --seed 7 -o bert.onnx",
          .declare = declare};
}

}  // namespace hone::app::commands
