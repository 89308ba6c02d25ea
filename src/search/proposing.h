#pragma once
// For sources of hypotheses: the two things they do.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>

#include "kinds/ep.h"
#include "kinds/precision.h"
#include "search/hypotheses.h"

namespace hone {

// What a try may bring and cost, by what is known of the model before it. Rough: they order ideas,
// and measuring decides.
struct Odds {
  double gain = 0;    // the share of the time that it would save
  double chance = 0;  // that it does
  double cost = 1;  // of finding out, as a multiple of what another session of the same bytes takes

  // Expected gain for the cost. What a finding of the knowledge base adds or takes is about 1.
  double priority() const { return 10 * gain * chance / cost; }
};

// What the EP's file says is worth a try on the device of the insight, the most promising first.
std::vector<const EpTry*> tries_of(const Insight& insight);
// Without data the accuracy of another precision is not shown, and then it does not ship.
Odds odds_of(const EpTry& attempt, const Insight& insight);
// Why a try is no use on this model; empty when it may be.
std::string objection_to(const EpTry& attempt, const Insight& insight);

// Why a precision is no use here; empty when it may be.
std::string objection_to(const Precision& precision, const Insight& insight);
// Has the model brought to the precision, as the EP wants it.
void bring_to(const Precision& precision, const Insight& insight, Recipe& recipe);

// What a source says of an idea; the recipe is the baseline's with a change.
struct Idea {
  std::string id;
  std::string title;
  std::string reason;
  std::string predicted{};
  Odds odds{};
};

// The share of the traced time in operators whose type holds one of the words; null: not traced.
inline std::optional<double> hot_share(const Insight& insight,
                                       std::initializer_list<std::string_view> words) {
  if (insight.hot_ops.empty()) return std::nullopt;
  double share = 0;
  for (const auto& [type, part] : insight.hot_ops) {
    const bool is_meant = std::ranges::any_of(
        words, [&](std::string_view word) { return type.find(word) != std::string::npos; });
    if (is_meant) share += part;
  }
  return std::min(share, 1.0);
}

// "73 %"
inline std::string percent_words(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

// An idea whose change leaves the baseline as it is becomes a skip.
template <std::invocable<Recipe&> Change>
void propose(HypothesisSet& into, const Insight& insight, std::string_view dimension, Idea idea,
             Change&& change) {
  Recipe recipe = insight.baseline;
  std::forward<Change>(change)(recipe);
  if (to_json(recipe) == to_json(insight.baseline)) {
    into.skips.push_back({.id = std::move(idea.id),
                          .dimension = std::string(dimension),
                          .title = std::move(idea.title),
                          .reason = "the baseline has it",
                          .finding = {}});
    return;
  }
  into.hypotheses.push_back({.id = std::move(idea.id),
                             .dimension = std::string(dimension),
                             .title = std::move(idea.title),
                             .reason = std::move(idea.reason),
                             .predicted = std::move(idea.predicted),
                             .priority = idea.odds.priority(),
                             .findings = {},
                             .recipe = std::move(recipe)});
}

inline void skip(HypothesisSet& into, std::string_view dimension, std::string id, std::string title,
                 std::string reason) {
  into.skips.push_back({.id = std::move(id),
                        .dimension = std::string(dimension),
                        .title = std::move(title),
                        .reason = std::move(reason),
                        .finding = {}});
}

}  // namespace hone
