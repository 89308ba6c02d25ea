#include "search/proposing.h"

namespace hone {
namespace {

// How much less is thought of a change of precision where nothing can show that it is accurate.
constexpr double without_data = 3;

bool has_op(const Insight& insight, std::string_view word) {
  const auto& counts = insight.features.op_counts;
  if (counts.empty()) return true;  // not known
  return std::ranges::any_of(
      counts, [&](const auto& op) { return op.first.find(word) != std::string::npos; });
}

}  // namespace

std::vector<const EpTry*> tries_of(const Insight& insight) {
  std::vector<const EpTry*> found;
  const Ep* ep = find_ep(insight.baseline.target.ep);
  if (ep == nullptr) return found;
  for (const EpTry& attempt : ep->tries)
    if (attempt.device.empty() || attempt.device == insight.device) found.push_back(&attempt);
  return found;
}

Odds odds_of(const EpTry& attempt, const Insight& insight) {
  Odds odds{.gain = attempt.gain, .chance = attempt.chance, .cost = attempt.cost};
  if (!attempt.precision.empty() && !insight.has_data) odds.chance /= without_data;
  return odds;
}

std::string objection_to(const EpTry& attempt, const Insight& insight) {
  if (!attempt.acts_on.empty() && !has_op(insight, attempt.acts_on))
    return "the model has no " + std::string(attempt.acts_on);
  if (attempt.precision.empty()) return {};
  const Precision* precision = find_made_precision(attempt.precision);
  return precision != nullptr ? objection_to(*precision, insight) : "nothing makes it";
}

std::string objection_to(const Precision& precision, const Insight& insight) {
  if (insight.features.is_quantized) return "the model is quantized already";
  if (insight.quantizes_itself) return "the EP quantizes by itself";
  if (std::ranges::find(precision.fast_on, insight.device) == precision.fast_on.end())
    return std::string(precision.elsewhere);
  if (precision.is_of_products && insight.features.matmul_share <= 0)
    return "the model has no matrix products";
  return {};
}

void bring_to(const Precision& precision, const Insight& insight, Recipe& recipe) {
  if (!recipe.quantize) recipe.quantize.emplace().preset = insight.quantize_preset;
  recipe.quantize->precisions = {std::string(precision.name)};
}

}  // namespace hone
