#include "transform/quantize/attempt.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "model/edit.h"
#include "runtime/infer.h"
#include "transform/default_inputs.h"
#include "transform/oldest_ort.h"
#include "transform/optimize.h"
#include "transform/quantize/selection.h"
#include "transform/quantize/verify.h"
#include "transform/quantize/widen.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t default_samples = 10;
// Each costs a run of the quantized model; more would tell little more about whether it works.
constexpr std::size_t verified_samples = 2;

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::uint64_t weight_bytes(const Model& model) {
  std::uint64_t bytes = 0;
  for_each_tensor(model,
                  [&](const TensorPtr& tensor, const Node*) { bytes += tensor->byte_size(); });
  return bytes;
}

Result<SampleStream> open_samples(const QuantizeRequest& request, const Model& model,
                                  QuantizeResult& result) {
  if (!request.calibration_data.empty()) {
    result.samples_from = request.calibration_data.string();
    return SampleStream::from_files(request.calibration_data, input_ports(model),
                                    request.samples.value_or(SampleStream::no_limit));
  }
  result.samples_from = "seed " + std::to_string(request.seed);
  HONE_TRY(SampleStream stream,
           SampleStream::from_seed(input_ports(model), request.shapes, read_input_facts(model),
                                   request.seed, request.samples.value_or(default_samples)));
  for (const std::string& assumption : stream.assumptions()) result.notes.push_back(assumption);
  return stream;
}

constexpr auto quantized_ops = std::to_array<std::string_view>(
    {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
     "QLinearConv", "QLinearMatMul", "MatMulNBits", "DynamicQuantizeMatMul", "MatMulIntegerToFloat",
     "DynamicQuantizeLSTM", "QAttention", "GatherBlockQuantized"});

bool is_half(const Precision* precision) { return precision->making == Making::half; }

// What comes in is float; what one precision of a chain made, the next finds as it is. Half
// precision is for what is still float.
Status check_is_float(const Model& model, const std::vector<const Precision*>& precisions) {
  if (std::ranges::all_of(precisions, is_half)) return done();
  std::map<std::string, std::size_t> found;
  std::size_t inside = 0;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (std::ranges::find(quantized_ops, node.op_type) == quantized_ops.end()) continue;
      ++found[node.op_type];
      inside += graph.parent() != nullptr ? 1 : 0;
    }
  });
  if (found.empty()) return done();
  std::vector<std::string> parts;
  for (const auto& [op, count] : found) parts.push_back(format_count(count) + " " + op);
  std::string cause = "it has " + join(parts, ", ");
  if (inside > 0) cause += " (" + format_count(inside) + " of them in subgraphs)";
  return fail(Fault::bad_input, "the model is quantized already", std::move(cause),
              "start from the float model; -p fp16 brings what is still float to half precision");
}

// What is left of the float weights would keep all of their old file alive: weights go inside, or
// into a new file.
SaveOptions save_options(const QuantizeRequest& request, std::uint64_t bytes) {
  constexpr std::uint64_t most_inside = 100ull << 20;
  SaveOptions options;
  options.placement = bytes < most_inside ? DataPlacement::inlined : DataPlacement::split;
  options.overwrite = request.overwrite;
  return options;
}

// Integers by scales start from float, whatever the model computes in.
Status widen_for(const Precision& precision, Model& model, QuantizeJob& job) {
  const bool has_scales = !precision.weight_type.empty();
  if (!has_scales || !has_float16(model)) return done();
  HONE_TRY_DO(infer_types(job.runtime, job.probe_library, model));
  HONE_TRY(const WidenReport report, widen_float16(model));
  job.result.float16_widened = report.tensors;
  job.result.notes.push_back("the model computes in float16 and was brought to float32 first (" +
                             counted(report.tensors, "tensor") +
                             "), as float16 is too coarse for the scales of quantized tensors; its "
                             "inputs and outputs have the types they had");
  return done();
}

// Nobody expects it; a few scales more are nothing to speak of.
void note_growth(QuantizeResult& result) {
  constexpr std::uint64_t worth_a_note = 20;  // a twentieth of what was there
  if (result.bytes_after <= result.bytes_before + result.bytes_before / worth_a_note) return;
  result.notes.push_back(
      "the weights get larger, " + format_bytes(result.bytes_before) + " -> " +
      format_bytes(result.bytes_after) +
      (result.float16_widened > 0 ? ": what is not quantized is float32 now" : ""));
}

// Brings the model to its precisions and saves it. What it took in memory is free afterwards.
Status make_quantized(const QuantizeRequest& request, Model model, QuantizeJob& job) {
  for (const Precision* precision : request.precisions) {
    job.result.precision.emplace_back(precision->name);
    HONE_TRY_DO(widen_for(*precision, model, job));
    HONE_TRY_DO(apply_precision(model, *precision, job));
  }
  remove_dead_nodes(*model.graph);
  remove_unused_initializers(*model.graph);
  const auto start = Clock::now();
  job.result.opset = model.opset();
  const OldestOrt oldest = oldest_ort_for(model);
  job.result.oldest_ort = oldest.version;
  job.result.oldest_ort_because = oldest.because;
  job.result.bytes_after = weight_bytes(model);
  note_growth(job.result);
  HONE_TRY_DO(save_model(model, request.output, save_options(request, job.result.bytes_after)));
  job.result.times_ms.save = milliseconds(Clock::now() - start);
  return done();
}

Status verify_saved(const QuantizeRequest& request, const Path& reference, QuantizeJob& job) {
  const auto start = Clock::now();
  // What calibration saw is of the model that was quantized.
  if (reference != request.model) job.float_outputs.clear();
  HONE_TRY(const QuantizedCheck verification,
           check_quantized(job.runtime, request.output, reference, job.samples, job.float_outputs,
                           verified_samples));
  QuantizeResult& result = job.result;
  result.verified = verification.holds;
  if (!verification.holds) result.not_verified_because = verification.reason;
  result.verified_samples = verification.samples;
  result.outputs = verification.outputs;
  result.times_ms.in_run += milliseconds(verification.in_run);
  result.times_ms.verify = milliseconds(Clock::now() - start);
  return done();
}

// The CPU's kernels of half precision are those of float between casts, which ONNX Runtime then
// leaves out: what overflows on a device (above 65,504) is not seen here.
void note_what_half_precision_hides(const QuantizeRequest& request, QuantizeResult& result) {
  if (!result.verified || std::ranges::none_of(request.precisions, is_half)) return;
  result.notes.emplace_back(
      "compared on the CPU, which mostly computes half precision in float: hone debug "
      "--float-model FILE --quant-model FILE finds what overflows on a device");
}

// What cannot be judged passes the usual floor, and not one that somebody states: nobody knows
// whether it is kept.
void judge(const QuantizeRequest& request, QuantizeResult& result) {
  result.least_sqnr_db = request.least_sqnr_db.value_or(usual_least_sqnr_db);
  bool all_judged = true;
  for (const OutputError& error : result.outputs) {
    all_judged &= error.judged;
    const bool is_better =
        !error.sqnr_db || *error.sqnr_db >= result.worst_sqnr_db.value_or(*error.sqnr_db + 1);
    if (is_better || !error.judged) continue;
    result.worst_sqnr_db = error.sqnr_db;
    result.worst_output = error.output;
  }
  if (!all_judged && request.calibration_data.empty())
    result.notes.emplace_back("real samples may show what is not judged (--calibration-data)");
  const bool is_enough =
      result.worst_sqnr_db.value_or(result.least_sqnr_db) >= result.least_sqnr_db;
  result.holds = result.verified && is_enough && (all_judged || !request.least_sqnr_db);
}

}  // namespace

Result<QuantizeResult> attempt(const QuantizeRequest& request, const Path& reference,
                               const QuantizeTools& tools) {
  const auto start = Clock::now();
  HONE_TRY(Model model, load_model(request.model));
  const std::string note = note_of_fixed_inputs(fix_default_inputs(model));
  HONE_TRY_DO(check_is_float(model, request.precisions));
  HONE_TRY_DO(check_words(model, request.settings.include, "--include"));
  HONE_TRY_DO(check_words(model, request.settings.exclude, "--exclude"));
  QuantizeResult result;
  result.model = request.model.string();
  result.output = request.output.string();
  result.preset = request.settings.preset.name;
  result.nodes = count_nodes(model);
  result.bytes_before = weight_bytes(model);
  if (!note.empty()) result.notes.push_back(note);
  HONE_TRY(SampleStream samples, open_samples(request, model, result));
  QuantizeJob job{.runtime = tools.runtime,
                  .probe_library = tools.probe_library,
                  .settings = request.settings,
                  .weight_type = request.weight_type,
                  .activation_type = request.activation_type,
                  .samples = std::move(samples),
                  .samples_are_random = request.calibration_data.empty(),
                  .calibration_file = CalibrationFile(request.calibration_cache),
                  .progress = tools.progress,
                  .result = std::move(result),
                  .float_outputs = {}};
  HONE_TRY_DO(make_quantized(request, std::move(model), job));
  if (request.verifies) HONE_TRY_DO(verify_saved(request, reference, job));
  note_what_half_precision_hides(request, job.result);
  judge(request, job.result);
  job.result.times_ms.total = milliseconds(Clock::now() - start);
  return std::move(job.result);
}

}  // namespace hone
