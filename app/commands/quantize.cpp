// A model with integers in the place of floats, calibrated, saved, and run to see what is left of
// it.

#include "transform/quantize/quantize.h"

#include "app/command.h"
#include "app/model_path.h"
#include "app/progress.h"
#include "app/table.h"
#include "app/where.h"
#include "base/text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  WhereArguments where;
  std::vector<std::string> precision;
  std::string preset = "ort";
  std::string method = "minmax";
  double percentile = 99.999;
  bool per_channel = false;
  bool symmetric = false;
  std::string weight_type;
  std::string activation_type;
  std::string calibration_data;
  std::string calibration_cache;
  std::int64_t samples = 0;
  std::string shape_config;
  std::uint64_t seed = 0;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string overrides;
};

constexpr auto default_precision = "w8a8";
const std::vector<std::string> integer_types = {"int8", "uint8", "int16", "uint16"};

template <class Row>
std::vector<std::string> names_in(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help quantize");
}

Result<std::vector<const Precision*>> find_precisions(const Arguments& arguments) {
  const std::vector<std::string> wanted = arguments.precision.empty()
                                              ? std::vector<std::string>{default_precision}
                                              : arguments.precision;
  std::vector<const Precision*> found;
  for (const std::string& name : wanted) {
    found.push_back(find_precision(name));
    if (found.back() != nullptr) continue;
    const std::vector<std::string> known = names_in(all_precisions());
    const std::string near = nearest(name, known);
    return fail(Fault::bad_input, "'" + printable(name) + "' is no value for --precision",
                "it takes one of: " + join(known, ", "),
                near.empty() ? "hone help quantize" : "--precision " + near);
  }
  return found;
}

Result<QuantizeSettings> read_settings(const Arguments& arguments) {
  QuantizeSettings settings{.preset = *find_preset(arguments.preset)};
  settings.method = *value_named<CalibrationMethod>(arguments.method);
  settings.percentile = arguments.percentile;
  if (!(settings.percentile > 50 && settings.percentile <= 100))
    return misuse("--percentile takes a number above 50, up to 100");
  settings.per_channel = arguments.per_channel || settings.preset.is_per_channel;
  settings.symmetric = arguments.symmetric;
  settings.include = arguments.include;
  settings.exclude = arguments.exclude;
  if (!arguments.overrides.empty()) {
    HONE_TRY(Overrides overrides, read_overrides(arguments.overrides));
    settings.overrides = std::move(overrides.tensors);
    std::ranges::move(overrides.float_nodes, std::back_inserter(settings.exclude));
  }
  return settings;
}

Result<QuantizeRequest> read_request(const Arguments& arguments) {
  QuantizeRequest request;
  HONE_TRY(request.model, find_model_file(arguments.model));
  request.output = arguments.output;
  request.overwrite = arguments.overwrite;
  HONE_TRY(request.precisions, find_precisions(arguments));
  HONE_TRY(request.settings, read_settings(arguments));
  const auto type_of = [](const std::string& name) {
    return element_type_named(name).value_or(ElementType::undefined);
  };
  request.weight_type = type_of(arguments.weight_type);
  request.activation_type = type_of(arguments.activation_type);
  request.calibration_data = arguments.calibration_data;
  request.calibration_cache = arguments.calibration_cache;
  if (arguments.samples > 0) request.samples = static_cast<std::size_t>(arguments.samples);
  request.seed = arguments.seed;
  if (!arguments.shape_config.empty()) {
    HONE_TRY(request.shapes, parse_shape_rules(arguments.shape_config));
  }
  return request;
}

std::string plural(std::uint64_t count, std::string_view thing) {
  return format_count(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::string decibels(const OutputError& error) {
  if (!error.sqnr_db) return error.max_abs_error == 0 ? "exact" : "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f dB", *error.sqnr_db);
  return text;
}

std::string text_of(const QuantizeResult& result) {
  std::string text = printable(result.output) + ": " + join(result.precision, ", ") + " for " +
                     result.preset + ", " + plural(result.nodes_quantized, "node") + " of " +
                     format_count(result.nodes) + " quantized, weights " +
                     format_bytes(result.bytes_before) + " -> " + format_bytes(result.bytes_after) +
                     "\n";
  text +=
      table({{"tensors", plural(result.activations, "activation") + ", " +
                             plural(result.weights, "constant") + ", " +
                             std::to_string(result.biases) + " biases"},
             {"ranges", result.method + " of " + plural(result.samples, "sample") + " (" +
                            result.samples_from + "), " +
                            (result.ranges_sufficient ? "settled" : "not settled")},
             {"verified", result.verified
                              ? "runs on the CPU EP, " + plural(result.verified_samples, "sample")
                              : "no: " + result.not_verified_because.value_or("")}});
  Rows outputs;
  for (const OutputError& error : result.outputs)
    outputs.push_back({error.output, decibels(error)});
  if (!outputs.empty()) {
    text += "signal to quantization noise\n" + table(outputs, {.right = "1", .most_rows = 20});
  }
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  return text;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const QuantizeRequest request, read_request(arguments));
  QuantizeTools tools;
  HONE_TRY(tools.runtime, Runtime::load(ort_candidates(arguments.where.ort)));
  HONE_TRY(tools.probe_library, own_ep_library());
  Progress progress(call, "calibrating, runs", format_count);
  tools.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  HONE_TRY(const QuantizeResult result, quantize_file(request, tools));
  HONE_TRY_DO(call.answer(to_document(result, quantize_schema_version), text_of(result)));
  return result.verified ? ExitCode::done : ExitCode::not_held;
}

void declare_how(Options& options, Arguments& arguments) {
  options.texts("-p,--precision NAME", arguments.precision,
                "w8a8 (default), w8a16, w16a8, int16; several are applied in turn");
  options.choice("--preset NAME", arguments.preset, names_in(all_presets()),
                 "the target: ort (as ONNX Runtime's own tools), cpu, qnn, openvino");
  options.choice("--method NAME", arguments.method, {"minmax", "entropy", "percentile"},
                 "how ranges are found in what activations hold");
  options.number("--percentile P", arguments.percentile,
                 "the share of magnitudes percentile keeps (99.999)");
  options.flag("--per-channel", arguments.per_channel, "a scale for each channel of a weight");
  options.flag("--symmetric", arguments.symmetric, "activations with zero in the middle");
  options.choice("--weight-type TYPE", arguments.weight_type, integer_types,
                 "in the place of the precision's");
  options.choice("--activation-type TYPE", arguments.activation_type, integer_types,
                 "in the place of the precision's");
}

void declare_what(Options& options, Arguments& arguments) {
  options.texts("--include NODE", arguments.include,
                "only these: a name, a glob, or an op type; beyond the preset too");
  options.texts("--exclude NODE", arguments.exclude,
                "stay in float: a name, a glob, or an op type");
  options.text("--overrides FILE", arguments.overrides,
               "JSON: types, ranges and scales of tensors, and nodes that stay in float");
}

void declare_samples(Options& options, Arguments& arguments) {
  options.text("--calibration-data FILE", arguments.calibration_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments.samples, "how many of them; else all, or 10 random ones",
                  Need::optional, {.least = 1, .most = 1 << 24});
  options.text("--shape-config TEXT", arguments.shape_config,
               "sizes for open dimensions: seq=128,x=1x3x48x320 or a JSON file");
  options.seed(arguments.seed, "of the random samples");
  options.text("--calibration-cache FILE", arguments.calibration_cache,
               "keep what calibration finds here, and start from it the next time");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model, "MODEL", "the ONNX file, or a folder with one");
  options.output(arguments->output, arguments->overwrite, "where the quantized model goes");
  declare_how(options, *arguments);
  declare_samples(options, *arguments);
  declare_what(options, *arguments);
  options.text("--ort PATH", arguments->where.ort,
               "the ONNX Runtime library; else $HONE_ORT, beside hone, the system's");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command quantize() {
  return {.name = "quantize",
          .group = "change a model",
          .summary = "Put integers in the place of floats, calibrated and verified",
          .help =
              "Measures what activations hold on samples, one at a time, and puts QuantizeLinear\n"
              "and DequantizeLinear around what the preset's target computes in integers. Scales,\n"
              "zero points and placement are those of ONNX Runtime's tools. The result is loaded\n"
              "and run beside the float model: how much of each output is left is reported, and\n"
              "whether more samples would still move the ranges. An interrupted calibration goes\n"
              "on where it was.",
          .examples =
              "hone quantize model.onnx -o model.w8a8.onnx --calibration-data samples.npz\n"
              "hone quantize model.onnx -o npu.onnx -p w8a16 --preset qnn --calibration-data data\n"
              "hone quantize model.onnx -o cpu.onnx --preset cpu --exclude Softmax --per-channel\n"
              "hone quantize model.onnx -o out.onnx --overrides tensors.json --method entropy",
          .declare = declare};
}

}  // namespace hone::app::commands
