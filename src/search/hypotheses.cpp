#include "search/hypotheses.h"

#include <algorithm>
#include <map>

#include "base/hash.h"

namespace hone {
namespace {

Hypothesis baseline_of(const Insight& insight) {
  Hypothesis baseline;
  baseline.id = "baseline";
  baseline.dimension = "baseline";
  baseline.title = "the recipe as it is";
  baseline.reason = "everything is compared with it";
  baseline.recipe = insight.baseline;
  return baseline;
}

// Follows the advice; true when the hypothesis stays.
bool heed(const AdviceOnHypothesis& advice, Hypothesis& hypothesis, HypothesisSet& into) {
  if (advice.pruned_by) {
    into.skips.push_back({.id = hypothesis.id,
                          .dimension = hypothesis.dimension,
                          .title = hypothesis.title,
                          .reason = advice.reason,
                          .finding = advice.pruned_by});
    return false;
  }
  hypothesis.priority += advice.priority_delta;
  hypothesis.findings.insert(hypothesis.findings.end(), advice.findings.begin(),
                             advice.findings.end());
  if (!advice.reason.empty()) hypothesis.reason += "; " + advice.reason;
  return true;
}

// The first of each recipe; what is proposed twice is measured once.
void skip_repeated(HypothesisSet& set) {
  std::map<std::string, std::string> seen;  // the id of the first, by recipe
  std::erase_if(set.hypotheses, [&](const Hypothesis& hypothesis) {
    const auto [first, is_new] =
        seen.emplace(to_json(hypothesis.recipe).canonical(), hypothesis.id);
    if (is_new) return false;
    set.skips.push_back({.id = hypothesis.id,
                         .dimension = hypothesis.dimension,
                         .title = hypothesis.title,
                         .reason = "it is the recipe of " + first->second,
                         .finding = {}});
    return true;
  });
}

}  // namespace

std::span<const HypothesisSource> all_hypothesis_sources() {
  static const std::vector<HypothesisSource> all = {
#define HONE_HYPOTHESIS_SOURCE(name) sources::name(),
#include "search/sources.inc"
#undef HONE_HYPOTHESIS_SOURCE
  };
  return all;
}

HypothesisSet propose_hypotheses(const Insight& insight, const HypothesisAdvisor& advisor) {
  HypothesisSet proposed;
  for (const HypothesisSource& source : all_hypothesis_sources()) source.propose(insight, proposed);
  HypothesisSet kept;
  kept.skips = std::move(proposed.skips);
  for (Hypothesis& hypothesis : proposed.hypotheses) {
    if (!advisor || heed(advisor(hypothesis), hypothesis, kept))
      kept.hypotheses.push_back(std::move(hypothesis));
  }
  std::ranges::stable_sort(kept.hypotheses, std::greater(), &Hypothesis::priority);
  kept.hypotheses.insert(kept.hypotheses.begin(), baseline_of(insight));
  skip_repeated(kept);
  return kept;
}

}  // namespace hone
