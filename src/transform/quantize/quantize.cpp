#include "transform/quantize/quantize.h"

#include "transform/quantize/verify.h"

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
           SampleStream::from_seed(input_ports(model), request.shapes, find_index_ranges(model),
                                   request.seed, request.samples.value_or(default_samples)));
  result.notes.push_back(
      "calibrated on random samples: ranges of real ones differ (--calibration-data)");
  for (const std::string& assumption : stream.assumptions()) result.notes.push_back(assumption);
  return stream;
}

Path calibration_path(const QuantizeRequest& request) {
  return request.calibration_cache.empty() ? Path(request.output.string() + ".calibration")
                                           : request.calibration_cache;
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

// Brings the model to its precisions and saves it. What it took in memory is free afterwards.
Status make_quantized(const QuantizeRequest& request, Model model, QuantizeJob& job) {
  for (const Precision* precision : request.precisions) {
    job.result.precision.emplace_back(precision->name);
    HONE_TRY_DO(precision->apply(model, *precision, job));
  }
  const auto start = Clock::now();
  job.result.opset = model.opset();
  job.result.bytes_after = weight_bytes(model);
  HONE_TRY_DO(save_model(model, request.output, save_options(request, job.result.bytes_after)));
  job.result.times_ms.save = milliseconds(Clock::now() - start);
  return done();
}

Status verify_saved(const QuantizeRequest& request, QuantizeJob& job) {
  const auto start = Clock::now();
  HONE_TRY(const Verification verification,
           verify(job.runtime, request.output, request.model, job.samples, job.float_outputs,
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

}  // namespace

Result<QuantizeResult> quantize_file(const QuantizeRequest& request, const QuantizeTools& tools) {
  const auto start = Clock::now();
  HONE_TRY_DO(refuse_existing(request.output, request.overwrite));
  HONE_TRY(Model model, load_model(request.model));
  QuantizeResult result;
  result.model = request.model.string();
  result.output = request.output.string();
  result.preset = request.settings.preset.name;
  result.nodes = model.graph->nodes().size();
  result.bytes_before = weight_bytes(model);
  HONE_TRY(SampleStream samples, open_samples(request, model, result));
  QuantizeJob job{.runtime = tools.runtime,
                  .probe_library = tools.probe_library,
                  .settings = request.settings,
                  .weight_type = request.weight_type,
                  .activation_type = request.activation_type,
                  .samples = std::move(samples),
                  .calibration_file = CalibrationFile(calibration_path(request)),
                  .progress = tools.progress,
                  .result = std::move(result),
                  .float_outputs = {}};
  HONE_TRY_DO(make_quantized(request, std::move(model), job));
  if (request.calibration_cache.empty()) job.calibration_file.remove();
  HONE_TRY_DO(verify_saved(request, job));
  job.result.times_ms.total = milliseconds(Clock::now() - start);
  return std::move(job.result);
}

}  // namespace hone
