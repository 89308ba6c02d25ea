#include "flow/quantize_command.h"

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "base/system_files.h"
#include "base/text.h"
#include "transform/quantize/idle_settings.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

// What is still to be said where the remedy is asked for by options of its own.
QuantizeRecipe beside(const TriedRemedy& tried, QuantizeRecipe recipe) {
  if (!tried.precision) return recipe;
  recipe.weight_type.reset();
  recipe.activation_type.reset();
  recipe.precisions = {*tried.precision};
  reset_idle_settings(recipe);
  recipe.precisions.clear();
  return recipe;
}

// The library that was named; empty where the usual ones are tried.
std::string said_ort(const QuantizeOrder& order) {
  const std::vector<std::string>& tried = order.where.host.ort;
  return tried.size() == 1 ? tried.front() : "";
}

// Options, as far as they are not as usual.
class OptionWords {
 public:
  void text(const char* option, const std::string& value, const std::string& usual = {}) {
    if (value != usual) words_.insert(words_.end(), {option, value});
  }
  void text(const char* option, const std::optional<std::string>& value) {
    text(option, value.value_or(""));
  }
  void texts(const char* option, const Words& values) {
    for (const std::string& value : values) text(option, value);
  }
  // Shortest digits that are the same number.
  template <class Number>
  void number(const char* option, Number value, Number usual) {
    if (value != usual) text(option, Json(value).dump(-1));
  }
  template <class Number>
  void number(const char* option, const std::optional<Number>& value) {
    if (value) text(option, Json(*value).dump(-1));
  }
  void flag(const char* option, bool is_given) {
    if (is_given) words_.emplace_back(option);
  }
  const Words& words() const { return words_; }

 private:
  Words words_;
};

Words options_of(const QuantizeRecipe& recipe, const QuantizeOrder& order) {
  const QuantizeRecipe usual;
  OptionWords options;
  if (recipe.precisions != Words{std::string(usual_quantized_precision)})
    options.texts("--precision", recipe.precisions);
  options.text("--weight-type", recipe.weight_type);
  options.text("--activation-type", recipe.activation_type);
  options.text("--preset", recipe.preset, usual.preset);
  options.text("--method", recipe.method, usual.method);
  options.number("--percentile", recipe.percentile, usual.percentile);
  options.flag("--per-channel", recipe.per_channel);
  options.flag("--symmetric", recipe.symmetric);
  options.number("--block-size", recipe.block_size, usual.block_size);
  options.text("--calibration-data", recipe.calibration_data);
  options.text("--task", order.task);
  options.text("--data", order.data);
  options.text("--split", order.rows.split);
  options.text("--tokenizer", order.rows.tokenizer);
  options.number("--samples", recipe.samples);
  options.text("--shape-config", order.shape_config);
  options.number("--seed", recipe.seed, usual.seed);
  options.texts("--include", recipe.include);
  options.texts("--exclude", recipe.exclude);
  options.text("--overrides", recipe.overrides);
  options.number("--min-sqnr", recipe.min_sqnr_db);
  options.text("--ort", said_ort(order));
  return options.words();
}

// The model is checked on inputs of the same sizes as it is quantized with.
std::string optimize_command(const TriedRemedy& tried, const QuantizeOrder& order,
                             const std::string& output) {
  Words words = {"hone", "optimize", order.model, "-o", output};
  if (order.overwrite) words.emplace_back("--overwrite");
  for (const std::string& name : tried.enables) words.push_back("--enable-" + name);
  OptionWords options;
  options.text("--shape-config", order.shape_config);
  options.text("--ort", said_ort(order));
  std::ranges::copy(options.words(), std::back_inserter(words));
  return to_shell(words);
}

}  // namespace

std::string command_with(const TriedRemedy& tried, const QuantizeOrder& order) {
  std::string model = order.model;
  std::string before;
  if (tried.optimizes_first) {
    model = Path(order.output).replace_extension(".optimized.onnx").string();
    before = optimize_command(tried, order, model) + " && ";
  }
  Words words = {"hone", "quantize", model, "-o", order.output};
  if (order.overwrite) words.emplace_back("--overwrite");
  std::ranges::copy(options_of(beside(tried, order.quantize), order), std::back_inserter(words));
  return before + to_shell(words) + (tried.options.empty() ? "" : " " + tried.options);
}

}  // namespace hone
