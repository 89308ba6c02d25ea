// Which tensors of a model quantization has damaged, and which only pass the damage on.

#include "flow/debug.h"

#include "app/command.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/no_such.h"
#include "base/text.h"
#include "flow/fix.h"
#include "flow/quantize.h"
#include "kinds/precision.h"
#include "report/debug/debug_text.h"
#include "report/fix/fix_text.h"
#include "transform/quantize/method.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  DebugOrder order;
  std::int64_t top = 10;
  std::string output;
  bool overwrite = false;
  bool fixes = false;
  FixOrder fix;
  std::string precision{usual_quantized_precision};  // of the fix
};

// Of what is said once for both.
FixOrder fix_order(const Arguments& arguments) {
  FixOrder order = arguments.fix;
  order.model = arguments.order.float_model;
  order.where = arguments.order.where;
  order.quantize.precisions = {arguments.precision};
  order.quantize.seed = arguments.order.seed;
  order.overwrite = arguments.overwrite;
  order.input_data = arguments.order.input_data;
  order.shape_config = arguments.order.shape_config;
  if (arguments.order.samples > 0) order.samples = arguments.order.samples;
  order.seed = arguments.order.seed;
  return order;
}

Result<ExitCode> fix(const Arguments& arguments, const Call& call) {
  StepProgress progress(call);
  HONE_TRY(
      const FixResult result,
      fix_model(fix_order(arguments), {.watch = progress.watch(),
                                       .note = [&](const std::string& note) { call.note(note); }}));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(result, fix_schema_version), describe_fix(result)));
  return result.is_reached ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  if (arguments.fixes) return fix(arguments, call);
  const DebugOrder& order = arguments.order;
  if (order.quant_model.empty())
    return fail(Fault::bad_input, "hone debug needs --quant-model FILE", {}, "hone help debug");
  HONE_TRY_DO(check_outputs({arguments.output}, arguments.overwrite,
                            {order.float_model, order.quant_model, order.input_data}));
  Progress progress(call, "running both models, steps", format_count);
  HONE_TRY(const DebugResult result, debug_model(order, progress.watch()));
  const Json document = to_document(result, debug_schema_version);
  HONE_TRY_DO(write_report(arguments.output, document));
  HONE_TRY_DO(
      call.answer(document, describe_debug(result, static_cast<std::size_t>(arguments.top))));
  return ExitCode::done;
}

void declare_fix(Options& options, Arguments& arguments) {
  FixOrder& fix = arguments.fix;
  options.flag("--fix", arguments.fixes,
               "find the fewest nodes that have to stay in float, by trying");
  options.number("--target-sqnr DB", fix.target_sqnr_db, "fix: until every output has this much");
  options.text("--metric TASK", fix.task,
               "fix: until it is as good at a task of `hone eval`, less --max-drop");
  options.text("--data DIR", fix.data, "fix: what the metric is measured on");
  options.number("--max-drop SHARE", fix.max_drop, "fix: of the metric (0.01)");
  options.text("-p,--precision NAME", arguments.precision,
               "fix: quantize to this (w8a8): " + join(made_precision_names(), ", "));
  options.text("--preset NAME", fix.quantize.preset, "fix: the target of `hone quantize` (ort)");
  options.choice("--method NAME", fix.quantize.method, names_of(all_methods()),
                 "fix: how ranges are found: " + join(names_of(all_methods()), ", "));
  options.flag("--per-channel", fix.quantize.per_channel,
               "fix: a scale for each channel of a weight");
  options.text("--calibration-data FILE", fix.quantize.calibration_data,
               "fix: samples that calibrate, as .npz or a folder");
  options.integer("--calibration-samples N", fix.quantize.samples, "fix: how many of them",
                  {.least = 1, .most = 1 << 24});
  options.text("--overrides-out FILE", fix.overrides,
               "fix: write the nodes here, for `hone quantize --overrides`");
  options.text("--journal FILE", fix.journal, "fix: keep what was tried, and go on from it");
  options.integer("--most-alone N", fix.most_alone, "fix: nodes that are tried one by one (256)",
                  Need::optional, {.least = 1, .most = 1 << 20});
  options.no_flag("--no-cost", fix.measures_cost, "fix: do not measure what it costs in time");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.takes_model(arguments->order.float_model);
  options.takes_model(arguments->order.quant_model);
  options.text("--float-model FILE", arguments->order.float_model, "the model before quantization",
               Need::required);
  options.text("--quant-model FILE", arguments->order.quant_model,
               "the model after it, of any tool: QDQ, float16 or bfloat16");
  options.text("--input-data FILE", arguments->order.input_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments->order.samples,
                  "how many of them; else all, or 4 random ones", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.shape_config(arguments->order.shape_config);
  options.seed(arguments->order.seed, "of the random samples");
  options.integer("--top N", arguments->top, "rows of each table (10)", Need::optional,
                  {.least = 1, .most = 1 << 24});
  options.integer("--memory MIB", arguments->order.memory_mib,
                  "for the tensors that are looked at together (128)", Need::optional,
                  {.least = 1, .most = 1 << 20});
  options.text("-o,--output FILE", arguments->output, "write the result as JSON as well");
  options.flag("--overwrite", arguments->overwrite, "replace an existing output");
  declare_fix(options, *arguments);
  declare_where(options, arguments->order.where);
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
              "that target too, which tells the quantizer's loss from the device's.\n"
              "In half precision, local SQNR is what the node alone loses, and what overflows\n"
              "or underflows is named, the first of them first.",
          .examples =
              "hone debug --float-model model.onnx --quant-model model.w8a8.onnx\n"
              "hone debug --float-model model.onnx --quant-model q.onnx --input-data samples.npz\n"
              "hone debug --float-model model.onnx --quant-model q.onnx --ep qnn --device npu\n"
              "hone debug --float-model model.onnx --quant-model model.fp16.onnx\n"
              "hone debug --float-model model.onnx --fix -p fp16 --target-sqnr 40 --overrides-out "
              "fix.json",
          .declare = declare};
}

}  // namespace hone::app::commands
