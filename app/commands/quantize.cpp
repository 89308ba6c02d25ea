// A model with integers in the place of floats, calibrated, saved, and run to see what is left of
// it.

#include "flow/quantize.h"

#include <algorithm>

#include "app/command.h"
#include "app/idle_options.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/where.h"
#include "base/no_such.h"
#include "base/remains.h"
#include "base/text.h"
#include "flow/job.h"
#include "kinds/precision.h"
#include "report/quantize/quantize_text.h"
#include "transform/quantize/method.h"
#include "transform/quantize/presets.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string model;
  std::string output;
  bool overwrite = false;
  Where where;
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
  std::int64_t block_size = 128;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string overrides;
  std::optional<double> min_sqnr_db;
  bool allows_loss = false;
  bool skips_remedies = false;
};

const std::vector<std::string> integer_types = {"int8", "uint8", "int16", "uint16"};

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// What the options say is a recipe too, so that a build and this command do the same.
QuantizeRecipe recipe_of(const Arguments& arguments) {
  QuantizeRecipe recipe;
  recipe.precisions = arguments.precision;
  if (recipe.precisions.empty()) recipe.precisions = {"w8a8"};
  recipe.preset = arguments.preset;
  recipe.method = arguments.method;
  recipe.percentile = arguments.percentile;
  recipe.per_channel = arguments.per_channel;
  recipe.symmetric = arguments.symmetric;
  recipe.block_size = arguments.block_size;
  recipe.weight_type = given(arguments.weight_type);
  recipe.activation_type = given(arguments.activation_type);
  if (arguments.samples > 0) recipe.samples = arguments.samples;
  recipe.calibration_data = given(arguments.calibration_data);
  recipe.seed = arguments.seed;
  recipe.include = arguments.include;
  recipe.exclude = arguments.exclude;
  recipe.overrides = given(arguments.overrides);
  recipe.min_sqnr_db = arguments.min_sqnr_db;
  recipe.allow_loss = arguments.allows_loss;
  return recipe;
}

// One that there is not is taken for a static one: what is wrong with it is said later.
bool asks_for(const QuantizeRecipe& recipe, Making making) {
  return std::ranges::any_of(recipe.precisions, [&](const std::string& asked) {
    const Precision* precision = find_made_precision(asked);
    return (precision != nullptr ? precision->making : Making::ranges) == making;
  });
}

bool takes_percentile(const std::string& method) {
  const auto found = find_method(method);
  return found && found->takes_percentile;
}

// What a precision does not look at.
Status refuse_idle_options(const Arguments& arguments) {
  const QuantizeRecipe recipe = recipe_of(arguments);
  const bool is_static = asks_for(recipe, Making::ranges);
  const bool has_integers = is_static || asks_for(recipe, Making::while_running);
  const bool has_blocks = asks_for(recipe, Making::blocks);
  const char* const ranges = is_static ? nullptr : "a precision with activations, like w8a8";
  const char* const integers = has_integers ? nullptr : "a precision with integers, like w8a8";
  const QuantizeRecipe usual;
  return refuse_idle(
      {{"--method", recipe.method != usual.method, ranges},
       {"--percentile", recipe.percentile != usual.percentile,
        takes_percentile(recipe.method) ? ranges : "--method percentile"},
       {"--preset", recipe.preset != usual.preset, ranges},
       {"--activation-type", recipe.activation_type.has_value(), ranges},
       {"--per-channel", recipe.per_channel, integers},
       {"--weight-type", recipe.weight_type.has_value(), integers},
       {"--symmetric", recipe.symmetric,
        is_static || has_blocks ? nullptr : "a precision like w8a8 or int4"},
       {"--block-size", recipe.block_size != usual.block_size, has_blocks ? nullptr : "int4"}});
}

QuantizeOrder order_of(const Arguments& arguments) {
  QuantizeOrder order;
  order.model = arguments.model;
  order.output = arguments.output;
  order.overwrite = arguments.overwrite;
  order.quantize = recipe_of(arguments);
  order.calibration_cache = arguments.calibration_cache;
  order.tries_remedies = !arguments.skips_remedies;
  order.shape_config = arguments.shape_config;
  order.where = arguments.where;
  return order;
}

using Words = std::vector<std::string>;

// The arguments, less what would do nothing where a remedy brings a precision of its own.
Arguments beside(const TriedRemedy& tried, Arguments arguments) {
  if (!tried.replaces_precision) return arguments;
  const Arguments usual;
  const auto brings = [&](Making making) {
    return std::ranges::any_of(all_precisions(), [&](const Precision& precision) {
      return precision.making == making &&
             tried.options.find("--precision " + std::string(precision.name)) != std::string::npos;
    });
  };
  arguments.precision.clear();
  arguments.weight_type.clear();
  arguments.activation_type.clear();
  arguments.block_size = usual.block_size;
  arguments.per_channel &= !brings(Making::half);
  if (!brings(Making::half) && !brings(Making::while_running)) return arguments;
  arguments.preset = usual.preset;
  arguments.method = usual.method;
  arguments.percentile = usual.percentile;
  arguments.symmetric = false;
  return arguments;
}

// The library that was named; empty where the usual ones are tried.
std::string said_ort(const Arguments& arguments) {
  const std::vector<std::string>& tried = arguments.where.host.ort;
  return tried.size() == 1 ? tried.front() : "";
}

// The options of a call, as far as they are not as usual.
Words given_options(const Arguments& arguments) {
  const Arguments usual;
  Words words;
  const auto text = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto texts = [&](const char* option, const Words& values) {
    for (const std::string& value : values) text(option, value);
  };
  const auto number = [&](const char* option, auto value, auto without) {
    if (value != without) text(option, Json(value).dump(-1));
  };
  const auto flag = [&](const char* option, bool is_given) {
    if (is_given) words.emplace_back(option);
  };
  texts("--precision", arguments.precision);
  text("--weight-type", arguments.weight_type);
  text("--activation-type", arguments.activation_type);
  text("--preset", arguments.preset == usual.preset ? "" : arguments.preset);
  text("--method", arguments.method == usual.method ? "" : arguments.method);
  number("--percentile", arguments.percentile, usual.percentile);
  flag("--per-channel", arguments.per_channel);
  flag("--symmetric", arguments.symmetric);
  number("--block-size", arguments.block_size, usual.block_size);
  text("--calibration-data", arguments.calibration_data);
  number("--samples", arguments.samples, usual.samples);
  text("--shape-config", arguments.shape_config);
  number("--seed", arguments.seed, usual.seed);
  texts("--include", arguments.include);
  texts("--exclude", arguments.exclude);
  text("--overrides", arguments.overrides);
  if (arguments.min_sqnr_db) text("--min-sqnr", Json(*arguments.min_sqnr_db).dump(-1));
  text("--ort", said_ort(arguments));
  return words;
}

// The model is checked on inputs of the same sizes as it is quantized with.
std::string optimize_command(const Arguments& arguments, const TriedRemedy& tried,
                             const std::string& output) {
  Words words = {"hone", "optimize", arguments.model, "-o", output};
  if (arguments.overwrite) words.emplace_back("--overwrite");
  for (const std::string& name : tried.enables) words.push_back("--enable-" + name);
  if (!arguments.shape_config.empty())
    words.insert(words.end(), {"--shape-config", arguments.shape_config});
  if (const std::string ort = said_ort(arguments); !ort.empty())
    words.insert(words.end(), {"--ort", ort});
  return to_shell(words);
}

std::string command_of(const Arguments& arguments, const TriedRemedy& tried) {
  std::string model = arguments.model;
  std::string before;
  if (tried.optimizes_first) {
    model = Path(arguments.output).replace_extension(".optimized.onnx").string();
    before = optimize_command(arguments, tried, model) + " && ";
  }
  Words words = {"hone", "quantize", model, "-o", arguments.output};
  if (arguments.overwrite) words.emplace_back("--overwrite");
  std::ranges::move(given_options(beside(tried, arguments)), std::back_inserter(words));
  return before + to_shell(words) + (tried.options.empty() ? "" : " " + tried.options);
}

// Runs are counted, other steps are named.
Watch show_on(Progress& progress) {
  return {.tell = [&progress](const FlowProgress& seen) {
    if (seen.total > 0 || seen.done > 0) return progress.update(seen.done, seen.total);
    progress.step(seen.doing);
  }};
}

// ONNX Runtime has yet to open what is made, and there are models on which it crashes then: that
// is an answer of a worker, which takes its unfinished files with it.
Result<QuantizeResult> quantize_apart(const QuantizeOrder& order, Watch watch) {
  constexpr auto as_long_as_it_takes = std::chrono::hours(24 * 365);
  watch.stop = &stop_when_interrupted();
  Result<QuantizeResult> made =
      run_apart(order, order.where.host.program, {.time = as_long_as_it_takes}, watch);
  if (made) return made;
  const Path output(order.output);
  remove_folders_left(output.parent_path() / ("." + output.filename().string() + ".hone-"));
  end_if_interrupted();
  Error error = std::move(made).error();
  if (error.trouble == Trouble::crashed && error.hint.empty())
    error.hint =
        "if memory did not run out, ONNX Runtime cannot open what was made: another --precision, "
        "or --exclude operators";
  return fail(std::move(error));
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(refuse_idle_options(arguments));
  Progress progress(call, "calibrating, runs", format_count);
  HONE_TRY(QuantizeResult result, quantize_apart(order_of(arguments), show_on(progress)));
  for (TriedRemedy& tried : result.tried) tried.command = command_of(arguments, tried);
  HONE_TRY_DO(
      call.answer(to_document(result, quantize_schema_version), describe_quantization(result)));
  return result.written ? ExitCode::done : ExitCode::not_held;
}

void declare_how(Options& options, Arguments& arguments) {
  options.texts("-p,--precision NAME", arguments.precision,
                join(made_precision_names(), ", ") + "; or several in turn (w8a8)");
  options.choice(
      "--preset NAME", arguments.preset, names_of(all_presets()),
      "the target, ort (as ONNX Runtime's own tools): " + join(names_of(all_presets()), ", "));
  options.choice("--method NAME", arguments.method, names_of(all_methods()),
                 "how ranges of activations are found: " + join(names_of(all_methods()), ", "));
  options.number("--percentile P", arguments.percentile,
                 "the share of magnitudes percentile keeps (99.999)");
  options.flag("--per-channel", arguments.per_channel, "a scale for each channel of a weight");
  options.flag("--symmetric", arguments.symmetric, "zero in the middle: activations, int4 weights");
  options.integer("--block-size N", arguments.block_size,
                  "int4: elements that share a scale, 16 to 256 (128)", Need::optional,
                  {.least = 16, .most = 256});
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

void declare_floor(Options& options, Arguments& arguments) {
  options.number("--min-sqnr DB", arguments.min_sqnr_db,
                 "write nothing when an output keeps less than this (10)");
  options.flag("--allow-loss", arguments.allows_loss, "write what is below that all the same");
  options.flag("--no-remedies", arguments.skips_remedies,
               "do not try what would help where too little is left");
}

void declare_samples(Options& options, Arguments& arguments) {
  options.text("--calibration-data FILE", arguments.calibration_data,
               "samples as .npz, or a folder of them; else seeded random ones");
  options.integer("--samples N", arguments.samples, "how many of them; else all, or 10 random ones",
                  Need::optional, {.least = 1, .most = 1 << 24});
  options.shape_config(arguments.shape_config);
  options.seed(arguments.seed, "of the random samples");
  options.text("--calibration-cache FILE", arguments.calibration_cache,
               "keep what calibration finds here, and start from it the next time");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->model);
  options.output(arguments->output, arguments->overwrite, "where the quantized model goes");
  declare_how(options, *arguments);
  declare_samples(options, *arguments);
  declare_what(options, *arguments);
  declare_floor(options, *arguments);
  declare_ort(options, arguments->where.host);
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
