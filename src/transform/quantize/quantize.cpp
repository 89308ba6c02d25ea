#include "transform/quantize/quantize.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "transform/quantize/selection.h"
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
           SampleStream::from_seed(input_ports(model), request.shapes, read_input_facts(model),
                                   request.seed, request.samples.value_or(default_samples)));
  for (const std::string& assumption : stream.assumptions()) result.notes.push_back(assumption);
  return stream;
}

constexpr auto quantized_ops = std::to_array<std::string_view>(
    {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
     "QLinearConv", "QLinearMatMul", "MatMulNBits", "DynamicQuantizeMatMul"});

// What comes in is float; what one precision of a chain made, the next finds as it is.
Status check_is_float(const Model& model) {
  for (const Node& node : model.graph->nodes()) {
    if (std::ranges::find(quantized_ops, node.op_type) == quantized_ops.end()) continue;
    return fail(Fault::bad_input, "the model is quantized already", "it has " + describe(node),
                "start from the float model");
  }
  return done();
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
  HONE_TRY(const QuantizedCheck verification,
           check_quantized(job.runtime, request.output, request.model, job.samples,
                           job.float_outputs, verified_samples));
  QuantizeResult& result = job.result;
  result.verified = verification.holds;
  if (!verification.holds) result.not_verified_because = verification.reason;
  result.verified_samples = verification.samples;
  result.outputs = verification.outputs;
  result.times_ms.in_run += milliseconds(verification.in_run);
  result.times_ms.verify = milliseconds(Clock::now() - start);
  return done();
}

const std::vector<std::string> integer_types = {"int8", "uint8", "int16", "uint16"};

template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

Failure no_such(const std::string& thing, const std::string& name,
                const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return fail(Fault::bad_input, "there is no " + thing + " '" + printable(name) + "'",
              "it is one of: " + join(known, ", "), near.empty() ? "" : "'" + near + "'");
}

ElementType type_of(const std::optional<std::string>& name) {
  return name ? element_type_named(*name).value_or(ElementType::undefined) : ElementType::undefined;
}

Result<QuantizeSettings> settings_of(const QuantizeRecipe& recipe) {
  QuantizeSettings settings{.preset = *find_preset(recipe.preset)};
  settings.method = *value_named<CalibrationMethod>(recipe.method);
  settings.percentile = recipe.percentile;
  settings.per_channel = recipe.per_channel || settings.preset.is_per_channel;
  settings.symmetric = recipe.symmetric;
  settings.block_size = recipe.block_size;
  settings.include = recipe.include;
  settings.exclude = recipe.exclude;
  if (recipe.overrides) {
    HONE_TRY(Overrides overrides, read_overrides(*recipe.overrides));
    settings.overrides = std::move(overrides.tensors);
    std::ranges::move(overrides.float_nodes, std::back_inserter(settings.exclude));
  }
  return settings;
}

}  // namespace

Result<QuantizeResult> quantize_file(const QuantizeRequest& request, const QuantizeTools& tools) {
  const auto start = Clock::now();
  HONE_TRY_DO(refuse_existing(request.output, request.overwrite));
  HONE_TRY(Model model, load_model(request.model));
  HONE_TRY_DO(check_is_float(model));
  HONE_TRY_DO(check_words(*model.graph, request.settings.include, "--include"));
  HONE_TRY_DO(check_words(*model.graph, request.settings.exclude, "--exclude"));
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
                  .samples_are_random = request.calibration_data.empty(),
                  .calibration_file = CalibrationFile(calibration_path(request)),
                  .progress = tools.progress,
                  .result = std::move(result),
                  .float_outputs = {}};
  HONE_TRY_DO(make_quantized(request, std::move(model), job));
  if (request.calibration_cache.empty()) job.calibration_file.remove();
  if (request.verifies) HONE_TRY_DO(verify_saved(request, job));
  job.result.times_ms.total = milliseconds(Clock::now() - start);
  return std::move(job.result);
}

Status check_quantize_recipe(const QuantizeRecipe& recipe) {
  if (recipe.precisions.empty()) {
    return fail(Fault::bad_input, "the recipe quantizes to no precision", {},
                R"(write "quantize": null to stay float)");
  }
  for (const std::string& name : recipe.precisions) {
    if (find_precision(name) == nullptr)
      return no_such("precision", name, names_of(all_precisions()));
  }
  if (find_preset(recipe.preset) == nullptr)
    return no_such("preset", recipe.preset, names_of(all_presets()));
  if (!value_named<CalibrationMethod>(recipe.method))
    return no_such("method", recipe.method, {"minmax", "entropy", "percentile"});
  for (const auto& type : {recipe.weight_type, recipe.activation_type}) {
    if (type && !std::ranges::count(integer_types, *type))
      return no_such("integer type", *type, integer_types);
  }
  if (!(recipe.percentile > 50 && recipe.percentile <= 100)) {
    return fail(Fault::bad_input, "percentile takes a number above 50, up to 100", {},
                "99.999 leaves one magnitude of 100,000 out");
  }
  return done();
}

Result<QuantizeRequest> request_of(const QuantizeRecipe& recipe) {
  HONE_TRY_DO(check_quantize_recipe(recipe));
  QuantizeRequest request;
  for (const std::string& name : recipe.precisions)
    request.precisions.push_back(find_precision(name));
  HONE_TRY(request.settings, settings_of(recipe));
  request.weight_type = type_of(recipe.weight_type);
  request.activation_type = type_of(recipe.activation_type);
  request.calibration_data = recipe.calibration_data.value_or("");
  if (recipe.samples) request.samples = static_cast<std::size_t>(*recipe.samples);
  request.seed = recipe.seed;
  return request;
}

}  // namespace hone
