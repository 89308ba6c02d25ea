// A model without its weights, to share a structure that may be seen with weights that may not.

#include "model/weights/strip.h"
#include "base/counted.h"

#include "app/command.h"
#include "app/progress.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "model/model.h"
#include "model/weights/stats.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  std::int64_t min_bytes = 1024;
};

std::uint64_t bytes_taken(const WeightStats& stats) {
  std::uint64_t total = 0;
  for (const auto& [name, tensor] : stats.tensors) total += tensor.length;
  return total;
}

Result<WeightStats> strip_model(Model& model, const Arguments& arguments, const Call& call) {
  Progress progress(call, "reading weights");
  StripOptions options;
  options.name = Path(arguments.output).stem().string();
  options.min_bytes = static_cast<std::uint64_t>(arguments.min_bytes);
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  return strip_weights(model, options);
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  const Path stats_path = stats_path_for(arguments.output);
  HONE_TRY_DO(refuse_existing(stats_path, arguments.overwrite));
  HONE_TRY(const Path file, find_model_file(arguments.model));
  HONE_TRY(Model model, load_model(file));
  HONE_TRY(const WeightStats stats, strip_model(model, arguments, call));
  HONE_TRY(const SaveReport saved,
           save_stripped(model, stats, arguments.output, arguments.overwrite));
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("tensors", stats.tensors.size());
  document.set("bytes", bytes_taken(stats));
  document.set("output", arguments.output);
  document.set("model_bytes", saved.model_bytes);
  document.set("stats", stats_path.string());
  const std::string text =
      printable(arguments.output) + ": " + counted(stats.tensors.size(), "tensor") +
      " taken out (" + format_bytes(bytes_taken(stats)) + "), " + format_bytes(saved.model_bytes) +
      " left; statistics in " + printable(stats_path.string()) + "\n";
  HONE_TRY_DO(call.answer(document, text));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.output(arguments->output, arguments->overwrite,
                 "the model without weights; its statistics go beside it");
  options.integer("--min-bytes N", arguments->min_bytes,
                  "tensors smaller than this stay in the model (1024)", Need::optional,
                  {.least = 0});
  return [arguments](const Call& call) { return run(*arguments, call); };
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
