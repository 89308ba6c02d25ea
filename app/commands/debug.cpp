// Which tensors of a model quantization has damaged, and which only pass the damage on.

#include "inspect/debug/debug.h"

#include "app/command.h"
#include "app/fix.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/where.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "report/debug/debug_text.h"
#include "runtime/prepared.h"

namespace hone::app::commands {
namespace {

constexpr std::int64_t default_random_samples = 4;

struct Arguments {
  std::string float_model;
  std::string quant_model;
  std::string input_data;
  std::string shape_config;
  std::int64_t samples = 0;
  std::uint64_t seed = 0;
  std::int64_t top = 10;
  std::int64_t memory = 128;
  std::string output;
  bool overwrite = false;
  FixArguments fix;
  Where where;
};

Result<SampleStream> open_samples(const Arguments& arguments, const std::string& shape_config,
                                  const Model& model) {
  const auto limit = static_cast<std::size_t>(arguments.samples);
  if (!arguments.input_data.empty()) {
    return SampleStream::from_files(arguments.input_data, input_ports(model),
                                    limit > 0 ? limit : SampleStream::no_limit);
  }
  HONE_TRY(ShapeRules rules, parse_shape_rules(shape_config));
  return SampleStream::from_seed(input_ports(model), std::move(rules), read_input_facts(model),
                                 arguments.seed,
                                 limit > 0 ? limit : std::size_t{default_random_samples});
}

DebugOptions options_of(const Arguments& arguments, const RunPlan& plan) {
  DebugOptions options;
  options.memory_bytes = static_cast<std::uint64_t>(arguments.memory) << 20;
  options.threads = plan.threads;
  options.device = settings_of(plan);
  return options;
}

void add_origin(const Arguments& arguments, const SampleStream& samples, DebugResult& result) {
  result.samples_from =
      samples.is_seeded() ? "seed " + std::to_string(arguments.seed) : arguments.input_data;
  if (samples.is_seeded()) {
    result.notes.push_back(
        "random samples say little about real ones: give some with --input-data");
  }
}

Result<ExitCode> fix(const Arguments& arguments, const Call& call) {
  FixJob job;
  HONE_TRY(const GivenModel given, find_model(arguments.float_model, arguments.where));
  for (const std::string& note : given.notes) call.note("note: " + note);
  job.float_model = given.file;
  job.input_data = arguments.input_data;
  job.shape_config = arguments.shape_config;
  job.seed = arguments.seed;
  if (arguments.samples > 0) job.samples = arguments.samples;
  job.overwrite = arguments.overwrite;
  job.where = given.where;
  return run_fix(arguments.fix, job, call);
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.fix.fixes) return fix(arguments, call);
  if (arguments.quant_model.empty())
    return fail(Fault::bad_input, "hone debug needs --quant-model FILE", {}, "hone help debug");
  HONE_TRY_DO(check_outputs({arguments.output}, arguments.overwrite,
                            {arguments.float_model, arguments.quant_model, arguments.input_data}));
  HONE_TRY(const Path float_path, find_model_file(arguments.float_model));
  HONE_TRY(const GivenModel quantized, find_model(arguments.quant_model, arguments.where));
  HONE_TRY(const RunPlan plan, plan_of(quantized));
  HONE_TRY(const SettledInputs inputs,
           settle_inputs(arguments.where,
                         {float_path, arguments.input_data, arguments.shape_config, arguments.seed},
                         {quantized.file}));
  HONE_TRY(const Model float_model, load_model(float_path));
  HONE_TRY(const Model quant_model, load_model(quantized.file));
  HONE_TRY(SampleStream samples, open_samples(arguments, inputs.shape_config, float_model));
  HONE_TRY(const std::shared_ptr<Runtime> runtime, start_runtime(plan));
  Progress progress(call, "running both models, steps", format_count);
  HONE_TRY(
      DebugResult result,
      debug_models(runtime, float_model, quant_model, samples, options_of(arguments, plan),
                   [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); }));
  result.notes.insert(result.notes.begin(), quantized.notes.begin(), quantized.notes.end());
  add_origin(arguments, samples, result);
  result.notes.insert(result.notes.end(), inputs.notes.begin(), inputs.notes.end());
  const Json document = to_document(result, debug_schema_version);
  if (!arguments.output.empty()) HONE_TRY_DO(write_file(arguments.output, document.dump() + "\n"));
  HONE_TRY_DO(
      call.answer(document, describe_debug(result, static_cast<std::size_t>(arguments.top))));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("--float-model FILE", arguments->float_model, "the model before quantization",
               Need::required);
  options.text("--quant-model FILE", arguments->quant_model, "the model after it, QDQ of any tool");
  options.text("--input-data FILE", arguments->input_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments->samples, "how many of them; else all, or 4 random ones",
                  Need::optional, {.least = 1, .most = 1 << 24});
  options.shape_config(arguments->shape_config);
  options.seed(arguments->seed, "of the random samples");
  options.integer("--top N", arguments->top, "rows of each table (10)", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.integer("--memory MIB", arguments->memory,
                  "for the tensors that are looked at together (128)", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.text("-o,--output FILE", arguments->output, "write the result as JSON as well");
  options.flag("--overwrite", arguments->overwrite, "replace an existing output");
  declare_fix(options, arguments->fix);
  declare_where(options, arguments->where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command debug() {
  return {.name = "debug",
          .group = "look at a model",
          .summary = "Find the tensors that quantization damaged, and where it began",
          .help =
              "Runs a model and its quantized form side by side on the same samples and\n"
              "compares every tensor that was rounded. Local SQNR (signal to quantization\n"
              "noise) is the tensor's own rounding; cumulative SQNR is against the float\n"
              "model, with all it inherits. Originators are where loss begins, inheritors\n"
              "pass it on. A tensor that loses more than its width must is told why:\n"
              "clipping, a wrong range, or the kernel. With --ep the quantized model runs on\n"
              "that target too, which tells the quantizer's loss from the device's.",
          .examples =
              "hone debug --float-model model.onnx --quant-model model.w8a8.onnx\n"
              "hone debug --float-model model.onnx --quant-model q.onnx --input-data samples.npz\n"
              "hone debug --float-model model.onnx --quant-model q.onnx --ep qnn --device npu",
          .declare = declare};
}

}  // namespace hone::app::commands
