#include "flow/search/insight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

Recipe baseline() {
  Recipe recipe;
  recipe.target.ep = matching_situation().ep;
  recipe.optimize_rounds = 0;
  return recipe;
}

Hypothesis with_fusion(const std::string& fusion) {
  Hypothesis hypothesis;
  hypothesis.recipe = baseline();
  hypothesis.recipe.optimize[fusion] = true;
  return hypothesis;
}

// Of a finding that rules gelu_fusion out.
AdviceOnHypothesis advice_on(const Hypothesis& hypothesis) {
  const std::vector<Finding> findings = {confirmed_finding()};
  const Situation situation = matching_situation();
  return make_advisor(findings, situation, baseline())(hypothesis);
}

TEST(AdviceOnASearch, PrunesWhatMakesExactlyTheChangeOfAFinding) {
  const AdviceOnHypothesis advice = advice_on(with_fusion("gelu_fusion"));
  EXPECT_EQ(advice.pruned_by, "npu-100");
  EXPECT_EQ(advice.priority_delta, -1);
  EXPECT_THAT(advice.findings, ElementsAre("npu-100"));
  EXPECT_THAT(advice.reason, StartsWith("npu-100, Gelu fusion is slow"));
}

TEST(AdviceOnASearch, LeavesAMixInOfWhichAFindingRulesOutAPart) {
  Hypothesis mix = with_fusion("gelu_fusion");
  mix.recipe.session.threads = 1;
  const AdviceOnHypothesis advice = advice_on(mix);
  EXPECT_FALSE(advice.pruned_by);
  EXPECT_THAT(advice.findings, ElementsAre("npu-100"));
}

TEST(AdviceOnASearch, SaysNothingOfAnotherChange) {
  const AdviceOnHypothesis advice = advice_on(with_fusion("attention_fusion"));
  EXPECT_FALSE(advice.pruned_by);
  EXPECT_THAT(advice.findings, IsEmpty());
  EXPECT_EQ(advice.reason, "");
}

TEST(SituationOfASearch, HasTheVersionsOfItsEnvironment) {
  FoundInsight found;
  found.analysis.target.ep = "cpu";
  const SearchEnvironment environment{.key = {}, .facts = {{"ort_version", "1.23.0"}}};
  const Situation situation = situation_of(found, environment);
  EXPECT_EQ(situation.ep, "cpu");
  EXPECT_EQ(situation.ort_version, "1.23.0");
  EXPECT_EQ(situation.ep_version, "");
}

}  // namespace
}  // namespace hone
