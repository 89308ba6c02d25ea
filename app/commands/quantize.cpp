// A model with integers in the place of floats, calibrated, saved, and run to see what is left of
// it.

#include "flow/quantize.h"

#include <algorithm>

#include "app/command.h"
#include "app/idle_options.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/no_such.h"
#include "base/text.h"
#include "inspect/eval/task.h"
#include "kinds/precision.h"
#include "report/quantize/quantize_text.h"
#include "transform/quantize/idle_settings.h"
#include "transform/quantize/method.h"
#include "transform/quantize/presets.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  QuantizeOrder order;
  bool allows_loss = false;
};

const std::vector<std::string> integer_types = {"int8", "uint8", "int16", "uint16"};

// "--block-size" for block_size.
std::string option_of(std::string_view setting) {
  std::string option = "--" + std::string(setting);
  std::ranges::replace(option, '_', '-');
  return option;
}

// Data needs a task that reads it, and leaves no place for other samples.
Status check_data(const QuantizeOrder& order) {
  const bool has_data = !order.data.empty();
  return refuse_idle(
      {{"--task", !order.task.empty(), has_data ? nullptr : "--data DIR"},
       {"--data", has_data,
        order.task.empty()                ? "--task NAME"
        : order.quantize.calibration_data ? "no --calibration-data beside it"
                                          : nullptr},
       {"--split", !order.rows.split.empty(), has_data ? nullptr : "--data DIR"},
       {"--tokenizer", !order.rows.tokenizer.empty(), has_data ? nullptr : "--data DIR"}});
}

Result<QuantizeOrder> order_of(const Arguments& arguments) {
  QuantizeOrder order = arguments.order;
  QuantizeRecipe& recipe = order.quantize;
  if (recipe.precisions.empty()) recipe.precisions.emplace_back(usual_quantized_precision);
  recipe.allow_loss = arguments.allows_loss;
  HONE_TRY_DO(check_data(order));
  const std::vector<IdleSetting> idle = idle_settings(recipe);
  if (idle.empty()) return order;
  return misuse(option_of(idle.front().name) + " does nothing here",
                "it needs " + std::string(idle.front().needs));
}

// Runs are counted, other steps are named.
Watch show_on(Progress& progress) {
  return {.tell = [&progress](const FlowProgress& seen) {
    if (seen.total > 0 || seen.done > 0) return progress.update(seen.done, seen.total);
    progress.step(seen.doing);
  }};
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const QuantizeOrder order, order_of(arguments));
  Progress progress(call, "calibrating, runs", format_count);
  Watch watch = show_on(progress);
  watch.stop = &stop_when_interrupted();
  Result<QuantizeResult> made = quantize_apart(order, watch);
  if (!made) end_if_interrupted();
  HONE_TRY(const QuantizeResult result, std::move(made));
  HONE_TRY_DO(
      call.answer(to_document(result, quantize_schema_version), describe_quantization(result)));
  return result.written ? ExitCode::done : ExitCode::not_held;
}

void declare_how(Options& options, QuantizeRecipe& recipe) {
  options.texts("-p,--precision NAME", recipe.precisions,
                join(made_precision_names(), ", ") + "; or several in turn (w8a8)");
  options.choice(
      "--preset NAME", recipe.preset, names_of(all_presets()),
      "the target, ort (as ONNX Runtime's own tools): " + join(names_of(all_presets()), ", "));
  options.choice("--method NAME", recipe.method, names_of(all_methods()),
                 "how ranges of activations are found: " + join(names_of(all_methods()), ", "));
  options.number("--percentile P", recipe.percentile,
                 "the share of magnitudes percentile keeps (99.999)");
  options.flag("--per-channel", recipe.per_channel, "a scale for each channel of a weight");
  options.flag("--symmetric", recipe.symmetric, "zero in the middle: activations, int4 weights");
  options.integer("--block-size N", recipe.block_size,
                  "int4: elements that share a scale, 16 to 256 (128)", Need::optional,
                  {.least = 16, .most = 256});
  options.choice("--weight-type TYPE", recipe.weight_type, integer_types,
                 "in the place of the precision's");
  options.choice("--activation-type TYPE", recipe.activation_type, integer_types,
                 "in the place of the precision's");
}

void declare_samples(Options& options, QuantizeOrder& order) {
  options.text("--calibration-data FILE", order.quantize.calibration_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", order.quantize.samples,
                  "how many of them; else all, or 10 random ones", {.least = 1, .most = 1 << 24});
  options.shape_config(order.shape_config);
  options.seed(order.quantize.seed, "of the random samples");
  options.choice("--task NAME", order.task, judged_task_names(),
                 "calibrate on --data of a task instead: rows, as hone eval takes them");
  options.text("--data DIR", order.data, "the data of the task (hone eval --schema TASK)");
  options.text("--split NAME", order.rows.split, "which split of it; train is a good one");
  options.text("--tokenizer WHERE", order.rows.tokenizer,
               "a folder or file; else what lies beside the model");
  options.text("--calibration-cache FILE", order.calibration_cache,
               "keep what calibration finds here, and start from it the next time");
}

void declare_what(Options& options, QuantizeRecipe& recipe) {
  options.texts("--include NODE", recipe.include,
                "only these: a name, a glob, or an op type; beyond the preset too");
  options.texts("--exclude NODE", recipe.exclude, "stay in float: a name, a glob, or an op type");
  options.text("--overrides FILE", recipe.overrides,
               "JSON: types, ranges and scales of tensors, and nodes that stay in float");
}

void declare_floor(Options& options, Arguments& arguments) {
  options.number("--min-sqnr DB", arguments.order.quantize.min_sqnr_db,
                 "write nothing when an output keeps less than this (10)");
  options.flag("--allow-loss", arguments.allows_loss, "write what is below that all the same");
  options.no_flag("--no-remedies", arguments.order.tries_remedies,
                  "do not try what would help where too little is left");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  QuantizeOrder& order = arguments->order;
  options.model(order.model);
  options.output(order.output, order.overwrite, "where the quantized model goes");
  declare_how(options, order.quantize);
  declare_samples(options, order);
  declare_what(options, order.quantize);
  declare_floor(options, *arguments);
  declare_ort(options, order.where.host);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command quantize() {
  return {.name = "quantize",
          .group = "change a model",
          .summary = "Put integers in the place of floats, calibrated and verified",
          .help =
              "Measures what activations hold on samples, one at a time, and puts\n"
              "QuantizeLinear and DequantizeLinear around what the preset's target computes\n"
              "in integers. Scales, zero points and placement are those of ONNX Runtime's\n"
              "tools. The result is loaded and run beside the float model: how much of each\n"
              "output is left is reported, and whether more samples would still move the\n"
              "ranges. Where an output keeps less than 10 dB, nothing is written: what would\n"
              "help is tried and named. An interrupted calibration goes on where it was.\n"
              "int4, fp16 and dynamic need no calibration. Several precisions are applied in\n"
              "turn: -p int4 -p fp16.",
          .examples =
              "hone quantize model.onnx -o model.w8a8.onnx --calibration-data samples.npz\n"
              "hone quantize model.onnx -o npu.onnx -p w8a16 --preset qnn --calibration-data data\n"
              "hone quantize model.onnx -o cpu.onnx --preset cpu --exclude Softmax --per-channel\n"
              "hone quantize model.onnx -o out.onnx --overrides tensors.json --method entropy\n"
              "hone quantize model.onnx -o small.onnx -p int4 -p fp16 --symmetric",
          .declare = declare};
}

}  // namespace hone::app::commands
