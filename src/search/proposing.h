#pragma once
// For sources of hypotheses: the two things they do.

#include <concepts>
#include <string>
#include <utility>

#include "search/hypotheses.h"

namespace hone {

// What a source says of an idea; the recipe is the baseline's with a change.
struct Idea {
  std::string id;
  std::string title;
  std::string reason;
  std::string predicted{};
  double priority = 0;
};

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
                             .priority = idea.priority,
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
