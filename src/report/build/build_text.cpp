#include "report/build/build_text.h"

#include <algorithm>

#include "base/counted.h"
#include "base/join_some.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/optimize/fix_shapes_text.h"
#include "report/quantize/quantize_text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

std::uint64_t number_in(const Json& effect, std::string_view key) {
  const Json* value = effect.find(key);
  const auto number = value != nullptr ? value->to_int() : Result<std::int64_t>(0);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

bool is_true(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && value->as_bool() != nullptr && *value->as_bool();
}

// ", gelu-fusion changed nothing": what was asked for by name.
std::string idle_text(const Json& effect) {
  const Json* capabilities = effect.find("capabilities");
  const Json::Object* all = capabilities != nullptr ? capabilities->as_object() : nullptr;
  std::string text;
  if (all == nullptr) return text;
  for (const auto& [name, capability] : *all) {
    if (!is_true(capability, "asked") || is_true(capability, "changed")) continue;
    std::string words = name;
    std::ranges::replace(words, '_', '-');
    text += ", " + printable(words) + " changed nothing";
  }
  return text;
}

// ", 5 written in parts by unfuse-conv-activation": what the target does not take whole.
std::string undone_text(const Json& effect) {
  const Json* capabilities = effect.find("capabilities");
  const Json::Object* all = capabilities != nullptr ? capabilities->as_object() : nullptr;
  std::string text;
  if (all == nullptr) return text;
  for (const auto& [name, capability] : *all) {
    const std::uint64_t count = number_in(capability, "fused");
    if (!name.starts_with("unfuse_") || count == 0) continue;
    std::string words = name;
    std::ranges::replace(words, '_', '-');
    text += ", " + format_count(count) + " written in parts by " + printable(words);
  }
  return text;
}

std::string quantized_text(const Json& effect) {
  const std::string text = counted(number_in(effect, "nodes_quantized"), "node") + " quantized";
  const auto result = from_json<QuantizeResult>(effect);
  const std::string left = result ? describe_what_is_left(*result) : "";
  return left.empty() ? text : text + ", " + left;
}

// "opset 11 -> 17", or "opset 7 as it came: " and why it could not be a newer one.
std::string normalized_text(const Json& effect) {
  const std::uint64_t from = number_in(effect, "from");
  const Json* kept = effect.find("kept_because");
  if (kept == nullptr || kept->as_string() == nullptr)
    return "opset " + std::to_string(from) + " -> " + std::to_string(number_in(effect, "to"));
  const std::string opset = from == 0 ? "no opset of ONNX" : "opset " + std::to_string(from);
  return opset + " as it came: " + printable(*kept->as_string());
}

// What a stage did, in a clause; each stage has its own record.
std::string effect_text(const StageReceipt& stage) {
  const Json& effect = stage.effect;
  if (stage.name == "normalize") return normalized_text(effect);
  if (stage.name == "shapes") {
    const auto report = from_json<FixShapesReport>(effect);
    return report ? sum_up_fixed_shapes(*report) : "";
  }
  if (stage.name == "optimize") {
    return format_count(number_in(effect, "nodes_before")) + " -> " +
           counted(number_in(effect, "nodes_after"), "node") + idle_text(effect) +
           undone_text(effect);
  }
  if (stage.name == "quantize") return quantized_text(effect);
  const Json* contexts = effect.find("contexts");
  const std::size_t count =
      contexts != nullptr && contexts->as_array() != nullptr ? contexts->as_array()->size() : 0;
  return counted(count, "context") + ", " + counted(number_in(effect, "nodes_left"), "node") +
         " not compiled";
}

std::string stage_text(const StageReceipt& stage) {
  constexpr std::size_t width = 10;
  std::string text =
      "  " + stage.name + std::string(width - std::min(width - 1, stage.name.size()), ' ');
  switch (stage.status) {
    case StageStatus::skipped:
    case StageStatus::failed:
      return text + std::string(name_of(stage.status)) + ": " + printable(stage.reason) + "\n";
    case StageStatus::cached:
      return text + effect_text(stage) + " (from the cache)\n";
    case StageStatus::done:
      return text + effect_text(stage) + " (" +
             text_form::duration(stage.elapsed_ms.value_or(0) * 1000) + ")\n";
  }
  return text;
}

// "92 of 95 nodes taken by qnn, 3 unknown (Foo); 108 of 440 before", by what the rules say.
std::string coverage_text(const BuildCoverage& coverage) {
  const std::string head = "  coverage  ";
  if (!coverage.rules) return head + "no rules speak of " + coverage.ep + "\n";
  const auto taken = [](const CoverageCounts& counts) {
    return format_count(counts.supported + counts.partial) + " of " + format_count(counts.total());
  };
  std::string text = head + taken(coverage.counts) + " nodes taken by " + coverage.ep;
  if (coverage.counts.partial > 0)
    text += ", " + format_count(coverage.counts.partial) + " of them in some forms";
  if (coverage.counts.unsupported > 0)
    text += ", " + format_count(coverage.counts.unsupported) + " not";
  if (coverage.counts.unknown > 0) {
    std::vector<std::string> ops;
    for (const auto& [op, count] : coverage.unknown) ops.push_back(op + " x" + format_count(count));
    constexpr std::size_t most_ops = 4;
    text += ", " + format_count(coverage.counts.unknown) + " unknown (" + join_some(ops, most_ops) +
            ")";
  }
  return text + "; " + taken(coverage.before) + " before (" + *coverage.rules + ")\n";
}

}  // namespace

std::string describe_recipe(const Recipe& recipe, const std::string& precision) {
  const bool is_float = precision.empty() || precision == "fp32" || precision == "none";
  std::string text = "target " + short_target_name(recipe.target);
  if (recipe.opset) text += ", opset " + std::to_string(*recipe.opset);
  if (recipe.skips_optimize) text += ", not optimized";
  text += recipe.quantize ? ", " + join(recipe.quantize->precisions, " then ") + " by the " +
                                recipe.quantize->preset + " preset"
          : is_float ? ", float"
                     : ", " + precision + " as it came";
  return text + (recipe.compile ? ", compiled" : "");
}

std::string describe_build(const BuildReceipt& receipt) {
  std::string text = printable(receipt.model) + ": " +
                     describe_recipe(receipt.recipe, receipt.model_precision.value_or("")) + "\n";
  for (const StageReceipt& stage : receipt.stages) text += stage_text(stage);
  if (receipt.coverage) text += coverage_text(*receipt.coverage);
  if (receipt.oldest_ort) {
    text += "  opens in ONNX Runtime " + *receipt.oldest_ort +
            " and later: " + receipt.oldest_ort_because.value_or("") + "\n";
  }
  for (const std::string& note : receipt.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
