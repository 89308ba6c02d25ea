// Integers and short floats in the place of floats, where the target has kernels for them.

#include <algorithm>
#include <array>

#include "search/proposing.h"

namespace hone::sources {
namespace {

struct Choice {
  std::string_view id;
  std::string_view precision;
  bool per_channel = false;
  bool is_calibrated = false;             // it takes overrides
  std::vector<std::string_view> devices;  // on which it can be faster
  std::string_view elsewhere;             // why not on the others
  bool needs_products = false;            // it changes matrix products alone
  Odds odds{};                            // where all of the time is in what it changes
};

const std::array<Choice, 6>& choices() {
  static const std::array<Choice, 6> all = {
      Choice{.id = "w8a8",
             .precision = "w8a8",
             .is_calibrated = true,
             .devices = {"cpu", "npu"},
             .elsewhere = "no integer kernels are known for GPUs",
             .odds = {.gain = 0.5, .chance = 0.5, .cost = 3}},
      Choice{.id = "w8a8-per-channel",
             .precision = "w8a8",
             .per_channel = true,
             .is_calibrated = true,
             .devices = {"cpu", "npu"},
             .elsewhere = "no integer kernels are known for GPUs",
             .odds = {.gain = 0.5, .chance = 0.45, .cost = 3}},
      Choice{.id = "w8a16",
             .precision = "w8a16",
             .is_calibrated = true,
             .devices = {"npu"},
             .elsewhere = "only NPUs have kernels for activations of 16 bits",
             .odds = {.gain = 0.5, .chance = 0.6, .cost = 3}},
      Choice{.id = "int4",
             .precision = "int4",
             .devices = {"cpu", "gpu"},
             .elsewhere = "no kernels for blocks of 4 bits are known for NPUs",
             .needs_products = true,
             .odds = {.gain = 0.4, .chance = 0.3, .cost = 2}},
      Choice{.id = "fp16",
             .precision = "fp16",
             .devices = {"gpu", "npu"},
             .elsewhere = "the CPU EP computes in fp32 between casts, so nothing gets faster",
             .odds = {.gain = 0.4, .chance = 0.6, .cost = 2}},
      Choice{.id = "dynamic",
             .precision = "dynamic",
             .devices = {"cpu"},
             .elsewhere = "its operators have kernels on the CPU alone",
             .needs_products = true,
             .odds = {.gain = 0.4, .chance = 0.4, .cost = 2}},
  };
  return all;
}

// Why a choice is no use here; empty when it may be.
std::string objection_to(const Choice& choice, const Insight& insight) {
  if (insight.features.is_quantized) return "the model is quantized already";
  if (insight.quantizes_itself) return "the EP quantizes by itself";
  if (std::ranges::find(choice.devices, insight.device) == choice.devices.end())
    return std::string(choice.elsewhere);
  if (choice.needs_products && insight.features.matmul_share <= 0)
    return "the model has no matrix products";
  return {};
}

void quantize(Recipe& recipe, const Choice& choice, const Insight& insight) {
  if (!recipe.quantize) recipe.quantize.emplace().preset = insight.quantize_preset;
  recipe.quantize->precisions = {std::string(choice.precision)};
  recipe.quantize->per_channel = choice.per_channel;
}

// Of the traced time, what is in operators that the choice makes faster; null: not traced.
std::optional<double> traced_share(const Choice& choice, const Insight& insight) {
  return choice.needs_products ? hot_share(insight, {"MatMul", "Gemm"})
                               : hot_share(insight, {"MatMul", "Gemm", "Conv"});
}

Odds odds_of(const Choice& choice, const Insight& insight) {
  constexpr double usual_share = 0.7;
  Odds odds = choice.odds;
  odds.gain *= traced_share(choice, insight).value_or(usual_share);
  // Without data its accuracy is not shown, and then it does not ship.
  if (!insight.has_data) odds.chance /= 3;
  return odds;
}

std::string reason_for(const Choice& choice, const Insight& insight) {
  std::string reason = "fewer bytes for each weight, and kernels for them on the " + insight.device;
  if (const auto share = traced_share(choice, insight))
    reason += "; " + percent_words(*share) + " of the traced time is in what it changes";
  return reason;
}

void propose_choice(const Choice& choice, const Insight& insight, HypothesisSet& into) {
  const std::string id(choice.id);
  const Odds odds = odds_of(choice, insight);
  const std::string predicted =
      "operators between QuantizeLinear and DequantizeLinear, or their like";
  propose(into, insight, "precision",
          {.id = id,
           .title = id,
           .reason = reason_for(choice, insight),
           .predicted = predicted,
           .odds = odds},
          [&](Recipe& recipe) { quantize(recipe, choice, insight); });
  if (!choice.is_calibrated || !insight.overrides) return;
  propose(
      into, insight, "precision",
      {.id = id + "-kept",
       .title = id + ", with the nodes of " + *insight.overrides + " in float",
       .reason = "what loses most stays in float, and the rest is quantized",
       .predicted = predicted,
       .odds = {.gain = odds.gain, .chance = std::min(odds.chance * 1.2, 1.0), .cost = odds.cost}},
      [&](Recipe& recipe) {
        quantize(recipe, choice, insight);
        recipe.quantize->overrides = insight.overrides;
      });
}

void propose_precisions(const Insight& insight, HypothesisSet& into) {
  for (const Choice& choice : choices()) {
    const std::string id(choice.id);
    if (const std::string objection = objection_to(choice, insight); !objection.empty()) {
      skip(into, "precision", id, id, objection);
      continue;
    }
    propose_choice(choice, insight, into);
  }
  if (!insight.baseline.quantize) return;
  propose(into, insight, "precision",
          {.id = "float",
           .title = "not quantized",
           .reason = "what quantizing gains is known only beside the float model",
           .predicted = "no QuantizeLinear and DequantizeLinear",
           .odds = {.gain = 0.05, .chance = 0.1, .cost = 1.5}},
          [](Recipe& recipe) { recipe.quantize.reset(); });
}

}  // namespace

HypothesisSource precision() {
  return {
      .name = "precision", .summary = "Integers and short floats", .propose = propose_precisions};
}

}  // namespace hone::sources
