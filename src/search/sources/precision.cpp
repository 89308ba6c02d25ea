// Integers and short floats in the place of floats, where the target has kernels for them: what the
// files in kinds/precisions say is worth a try.

#include <algorithm>

#include "search/proposing.h"

namespace hone::sources {
namespace {

// One way to bring a model to a precision, and what the search calls it.
struct Choice {
  const Precision& precision;
  const PrecisionTry& attempt;

  std::string id() const {
    return std::string(precision.name) + (attempt.per_channel ? "-per-channel" : "");
  }
};

void quantize(Recipe& recipe, const Choice& choice, const Insight& insight) {
  bring_to(choice.precision, insight, recipe);
  recipe.quantize->per_channel = choice.attempt.per_channel;
}

// What the EP's file says of the precision by itself; null: nothing.
const EpTry* said_by_ep(const Choice& choice, const Insight& insight) {
  if (choice.attempt.per_channel) return nullptr;
  for (const EpTry* attempt : tries_of(insight))
    if (attempt->options.empty() && attempt->precision == choice.precision.name) return attempt;
  return nullptr;
}

// Of the traced time, what is in operators that the choice makes faster; null: not traced.
std::optional<double> traced_share(const Choice& choice, const Insight& insight) {
  return choice.precision.is_of_products ? hot_share(insight, {"MatMul", "Gemm"})
                                         : hot_share(insight, {"MatMul", "Gemm", "Conv"});
}

Odds odds_of(const Choice& choice, const Insight& insight) {
  if (const EpTry* said = said_by_ep(choice, insight)) return hone::odds_of(*said, insight);
  constexpr double usual_share = 0.7;
  const PrecisionTry& attempt = choice.attempt;
  Odds odds{.gain = attempt.gain, .chance = attempt.chance, .cost = attempt.cost};
  odds.gain *= traced_share(choice, insight).value_or(usual_share);
  // Without data its accuracy is not shown, and then it does not ship.
  if (!insight.has_data) odds.chance /= 3;
  return odds;
}

std::string reason_for(const Choice& choice, const Insight& insight) {
  if (const EpTry* said = said_by_ep(choice, insight)) return std::string(said->reason);
  std::string reason = "fewer bytes for each weight, and kernels for them on the " + insight.device;
  if (const auto share = traced_share(choice, insight))
    reason += "; " + percent_words(*share) + " of the traced time is in what it changes";
  return reason;
}

void propose_choice(const Choice& choice, const Insight& insight, HypothesisSet& into) {
  const std::string id = choice.id();
  const Odds odds = odds_of(choice, insight);
  const std::string predicted =
      choice.precision.making == Making::half
          ? "floats of half the bits, with a Cast where they begin and end"
          : "operators between QuantizeLinear and DequantizeLinear, or their like";
  propose(into, insight, "precision",
          {.id = id,
           .title = id,
           .reason = reason_for(choice, insight),
           .predicted = predicted,
           .odds = odds},
          [&](Recipe& recipe) { quantize(recipe, choice, insight); });
  const bool is_calibrated = choice.precision.making == Making::ranges;
  if (!is_calibrated || !insight.overrides) return;
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
  for (const Precision& precision : all_precisions()) {
    for (const PrecisionTry& attempt : precision.tries) {
      const Choice choice{precision, attempt};
      const EpTry* said = said_by_ep(choice, insight);
      const std::string objection =
          said != nullptr ? objection_to(*said, insight) : objection_to(precision, insight);
      if (objection.empty()) {
        propose_choice(choice, insight, into);
      } else {
        skip(into, "precision", choice.id(), choice.id(), objection);
      }
    }
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
