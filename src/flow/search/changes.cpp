#include "flow/search/changes.h"

#include <algorithm>

#include "base/system_files.h"
#include "base/text.h"
#include "pipeline/policy.h"
#include "runtime/session_options.h"

namespace hone {
namespace {

// "threads=2"; without a value the name is all there is.
struct Word {
  std::string name;
  std::string value{};
};

Word read_word(const std::string& key) {
  const std::size_t equals = key.find('=');
  if (equals == std::string::npos) return {key};
  return {key.substr(0, equals), key.substr(equals + 1)};
}

void add(std::string dimension, std::vector<std::string> keys, std::vector<Change>& changes) {
  if (!keys.empty()) changes.push_back({std::move(dimension), std::move(keys)});
}

std::vector<std::string> optimize_keys(const Recipe& baseline, const Recipe& recipe) {
  std::vector<std::string> keys;
  for (const auto& [capability, is_on] : recipe.optimize) {
    const auto old = baseline.optimize.find(capability);
    const bool is_same = old != baseline.optimize.end() && old->second == is_on;
    if (!is_same) keys.push_back(is_on ? capability : capability + "=off");
  }
  if (recipe.optimize_rounds != baseline.optimize_rounds && !recipe.quantize)
    keys.push_back("optimize_rounds=" + std::to_string(recipe.optimize_rounds));
  if (recipe.skips_optimize && !baseline.skips_optimize) keys.emplace_back("skip_optimize");
  return keys;
}

// One key for all of it: a scale for each channel is another precision than one for all.
std::string quantize_key(const QuantizeRecipe& quantize, const std::string& ep) {
  const QuantizeRecipe usual;
  std::vector<std::string> words = quantize.precisions;
  if (quantize.per_channel) words.emplace_back("per_channel");
  if (quantize.symmetric) words.emplace_back("symmetric");
  if (quantize.method != usual.method) words.push_back("method=" + quantize.method);
  if (quantize.preset != preset_for(ep)) words.push_back("preset=" + quantize.preset);
  if (quantize.overrides) words.emplace_back("overrides");
  return join(words, "+");
}

std::vector<std::string> option_keys(const OptionMap& before, const OptionMap& after) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old == before.end() || old->second != value) keys.push_back(key + "=" + value);
  }
  return keys;
}

std::vector<std::string> session_keys(const SessionRecipe& before, const SessionRecipe& after) {
  std::vector<std::string> keys = option_keys(before.options, after.options);
  if (after.threads != before.threads)
    keys.push_back(std::string(threads_word) + "=" + std::to_string(after.threads));
  return keys;
}

// How a checkpoint is written; its opset counts as one.
std::vector<std::string> export_keys(const Recipe& baseline, const Recipe& recipe) {
  std::vector<std::string> keys;
  if (!recipe.exporting) return keys;
  const ExportRecipe& after = *recipe.exporting;
  const ExportRecipe before = baseline.exporting.value_or(ExportRecipe());
  if (after.form != before.form) keys.push_back("form=" + after.form);
  if (after.dtype != before.dtype) keys.push_back("dtype=" + after.dtype);
  if (after.weights != before.weights) keys.push_back("weights=" + after.weights);
  if (after.opset && after.opset != before.opset)
    keys.push_back("opset=" + std::to_string(*after.opset));
  return keys;
}

// What makes a change of a recipe: false where the keys do not say all of it.
using Make = bool (*)(const std::vector<std::string>& keys, Recipe& recipe);

bool make_opset(const std::vector<std::string>& keys, Recipe& recipe) {
  if (keys.size() != 1) return false;
  recipe.opset = parse_number<std::int64_t>(keys.front());
  return recipe.opset.has_value();
}

bool make_export(const std::vector<std::string>& keys, Recipe& recipe) {
  if (!recipe.exporting) return false;
  for (const std::string& key : keys) {
    const Word word = read_word(key);
    if (word.name == "form") recipe.exporting->form = word.value;
    if (word.name == "dtype") recipe.exporting->dtype = word.value;
    if (word.name == "weights") recipe.exporting->weights = word.value;
    if (word.name == "opset") recipe.exporting->opset = parse_number<std::int64_t>(word.value);
  }
  return true;
}

// Sizes are of one model, which no key names.
bool make_shapes(const std::vector<std::string>&, Recipe&) { return false; }

bool make_optimize(const std::vector<std::string>& keys, Recipe& recipe) {
  for (const std::string& key : keys) {
    const Word word = read_word(key);
    if (word.name == "skip_optimize") {
      recipe.skips_optimize = true;
    } else if (word.name == "optimize_rounds") {
      const auto rounds = parse_number<std::int64_t>(word.value);
      if (!rounds) return false;
      recipe.optimize_rounds = *rounds;
    } else {
      recipe.optimize[word.name] = word.value != "off";
    }
  }
  return true;
}

bool make_precision(const std::vector<std::string>& keys, Recipe& recipe) {
  if (keys.size() != 1) return false;
  QuantizeRecipe& quantize = recipe.quantize.emplace();
  quantize.preset = preset_for(recipe.target.ep);
  for (const std::string& one : split(keys.front(), '+')) {
    const Word word = read_word(one);
    if (std::ranges::find(quantize_words, word.name) == quantize_words.end())
      quantize.precisions.push_back(word.name);
    if (word.name == "overrides") return false;  // nodes of one model, which no key names
    quantize.per_channel = quantize.per_channel || word.name == "per_channel";
    quantize.symmetric = quantize.symmetric || word.name == "symmetric";
    if (word.name == "method") quantize.method = word.value;
    if (word.name == "preset") quantize.preset = word.value;
  }
  return true;
}

bool make_compile(const std::vector<std::string>& keys, Recipe& recipe) {
  recipe.compile.emplace();
  return keys.empty();
}

bool make_session(const std::vector<std::string>& keys, Recipe& recipe) {
  for (const std::string& key : keys) {
    const Word word = read_word(key);
    if (word.name == threads_word) {
      recipe.session.threads = parse_number<std::int64_t>(word.value).value_or(-1);
    } else {
      recipe.session.options[word.name] = word.value;
    }
  }
  return true;
}

bool make_provider(const std::vector<std::string>& keys, Recipe& recipe) {
  for (const std::string& key : keys) {
    const Word word = read_word(key);
    recipe.target.options[word.name] = word.value;
  }
  return true;
}

constexpr std::array<std::pair<std::string_view, Make>, 8> dimensions = {{
    {"export", make_export},
    {"shapes", make_shapes},
    {"opset", make_opset},
    {"optimize", make_optimize},
    {"precision", make_precision},
    {"compile", make_compile},
    {"session", make_session},
    {"provider", make_provider},
}};

// Without what a finding does not speak of.
Recipe without_data(Recipe recipe) {
  if (!recipe.quantize) return recipe;
  recipe.optimize_rounds = Recipe().optimize_rounds;
  recipe.quantize->calibration_data.reset();
  recipe.quantize->samples.reset();
  recipe.quantize->seed = 0;
  return recipe;
}

}  // namespace

std::vector<Change> changes_of(const Recipe& baseline, const Recipe& recipe) {
  std::vector<Change> changes;
  add("export", export_keys(baseline, recipe), changes);
  if (recipe.shapes && !baseline.shapes) changes.push_back({"shapes", {"static"}});
  if (recipe.opset && recipe.opset != baseline.opset)
    changes.push_back({"opset", {std::to_string(*recipe.opset)}});
  add("optimize", optimize_keys(baseline, recipe), changes);
  const auto key_of = [](const Recipe& one) {
    return one.quantize ? quantize_key(*one.quantize, one.target.ep) : std::string();
  };
  if (recipe.quantize && key_of(recipe) != key_of(baseline))
    changes.push_back({"precision", {key_of(recipe)}});
  if (recipe.compile && !baseline.compile) changes.push_back({"compile", {}});
  add("session", session_keys(baseline.session, recipe.session), changes);
  add("provider", option_keys(baseline.target.options, recipe.target.options), changes);
  return changes;
}

bool is_whole(const Recipe& baseline, const Change& change, const Recipe& recipe) {
  const auto dimension =
      std::ranges::find(dimensions, change.dimension, &std::pair<std::string_view, Make>::first);
  Recipe made = baseline;
  if (dimension == dimensions.end() || !dimension->second(change.keys, made)) return false;
  return to_json(without_data(std::move(made))) == to_json(without_data(recipe));
}

}  // namespace hone
