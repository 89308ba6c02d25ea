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
  double priority = 0;
};

const std::array<Choice, 6>& choices() {
  static const std::array<Choice, 6> all = {
      Choice{.id = "w8a8",
             .precision = "w8a8",
             .is_calibrated = true,
             .devices = {"cpu", "npu"},
             .elsewhere = "no integer kernels are known for GPUs",
             .priority = 5},
      Choice{.id = "w8a8-per-channel",
             .precision = "w8a8",
             .per_channel = true,
             .is_calibrated = true,
             .devices = {"cpu", "npu"},
             .elsewhere = "no integer kernels are known for GPUs",
             .priority = 5},
      Choice{.id = "w8a16",
             .precision = "w8a16",
             .is_calibrated = true,
             .devices = {"npu"},
             .elsewhere = "only NPUs have kernels for activations of 16 bits",
             .priority = 6},
      Choice{.id = "int4",
             .precision = "int4",
             .devices = {"cpu", "gpu"},
             .elsewhere = "no kernels for blocks of 4 bits are known for NPUs",
             .needs_products = true,
             .priority = 4},
      Choice{.id = "fp16",
             .precision = "fp16",
             .devices = {"gpu", "npu"},
             .elsewhere = "the CPU EP computes in fp32 between casts, so nothing gets faster",
             .priority = 6},
      Choice{.id = "dynamic",
             .precision = "dynamic",
             .devices = {"cpu"},
             .elsewhere = "its operators have kernels on the CPU alone",
             .needs_products = true,
             .priority = 4},
  };
  return all;
}

// Why a choice is no use here; empty when it may be.
std::string objection_to(const Choice& choice, const Insight& insight) {
  if (insight.features.has_qdq) return "the model is quantized already";
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

void propose_choice(const Choice& choice, const Insight& insight, HypothesisSet& into) {
  const std::string id(choice.id);
  const std::string predicted =
      "operators between QuantizeLinear and DequantizeLinear, or their like";
  propose(into, insight, "precision",
          {.id = id,
           .title = id,
           .reason = "fewer bytes for each weight, and kernels for them on the " + insight.device,
           .predicted = predicted,
           .priority = choice.priority},
          [&](Recipe& recipe) { quantize(recipe, choice, insight); });
  if (!choice.is_calibrated || !insight.overrides) return;
  propose(into, insight, "precision",
          {.id = id + "-kept",
           .title = id + ", with the nodes of " + *insight.overrides + " in float",
           .reason = "what loses most stays in float, and the rest is quantized",
           .predicted = predicted,
           .priority = choice.priority + 1},
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
           .priority = 1},
          [](Recipe& recipe) { recipe.quantize.reset(); });
}

}  // namespace

HypothesisSource precision() {
  return {
      .name = "precision", .summary = "Integers and short floats", .propose = propose_precisions};
}

}  // namespace hone::sources
