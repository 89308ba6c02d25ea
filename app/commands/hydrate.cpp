// Weights for a model that was stripped: normal numbers of the statistics that were kept.

#include "model/weights/hydrate.h"
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
  std::string stats;
  std::uint64_t seed = 0;
  std::int64_t threads = 2;
};

Result<HydrateReport> fill(const Model& model, const WeightStats& stats, const Arguments& arguments,
                           const Call& call) {
  Progress progress(call, "filling weights");
  HydrateOptions options;
  options.seed = arguments.seed;
  options.threads = static_cast<int>(arguments.threads);
  options.overwrite = arguments.overwrite;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  return hydrate(model, stats, arguments.output, options);
}

std::string text_of(const HydrateReport& report, const Arguments& arguments) {
  std::vector<std::string> files;
  for (const Path& path : report.data_files) files.push_back(printable(path.string()));
  return printable(arguments.output) + ": " + counted(report.tensors, "tensor") + " filled (" +
         format_bytes(report.bytes) + ") with seed " + std::to_string(arguments.seed) +
         (files.empty() ? "" : "; weights in " + join(files, ", ")) + "\n";
}

Json document_of(const HydrateReport& report, const Arguments& arguments) {
  Json files = Json::array();
  for (const Path& path : report.data_files) files.push(path.string());
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("tensors", report.tensors);
  document.set("bytes", report.bytes);
  document.set("seed", arguments.seed);
  document.set("output", arguments.output);
  document.set("data_files", std::move(files));
  return document;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path file, find_model_file(arguments.model));
  HONE_TRY(const Model model, load_model(file));
  Path stats_path = arguments.stats;
  if (stats_path.empty()) {
    HONE_TRY(stats_path, find_stats(file));
  }
  HONE_TRY(const WeightStats stats, load_stats(stats_path));
  HONE_TRY(const HydrateReport report, fill(model, stats, arguments, call));
  HONE_TRY_DO(call.answer(document_of(report, arguments), text_of(report, arguments)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.output(arguments->output, arguments->overwrite,
                 "the model with weights; its data file goes beside it");
  options.text("--stats FILE", arguments->stats,
               "the statistics (NAME.stats.json beside the model)");
  options.seed(arguments->seed, "other numbers for another seed (0)");
  options.integer("--threads N", arguments->threads, "threads that make numbers (2)",
                  Need::optional, {.least = 1, .most = 256});
  return [arguments](const Call& call) { return run(*arguments, call); };
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
