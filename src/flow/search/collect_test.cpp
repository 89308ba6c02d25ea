#include "flow/search/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

// A CPU with two cores, so that there are threads to try.
Insight insight() {
  Insight insight;
  insight.device = "cpu";
  insight.cores = 2;
  insight.baseline.target.ep = "cpu";
  insight.baseline.optimize_rounds = 0;
  return insight;
}

AdviceOnHypothesis prune(const Hypothesis& hypothesis) {
  AdviceOnHypothesis advice;
  if (hypothesis.id == "threads-1") advice.pruned_by = "cpu-001";
  advice.reason = "cpu-001, one thread is slow";
  return advice;
}

bool has(const HypothesisSet& set, const std::string& id) {
  return std::ranges::find(set.hypotheses, id, &Hypothesis::id) != set.hypotheses.end();
}

TEST(Collect, TriesWhatIsAskedForEvenWhereAFindingRulesItOut) {
  const Insight here = insight();
  HypothesisRequest request{
      .insight = here, .advisor = prune, .recipes = {}, .only = {}, .calibration_data = {}};
  EXPECT_FALSE(has(*collect_hypotheses(request), "threads-1"));
  request.only = {"threads-1"};
  const auto asked = collect_hypotheses(request);
  ASSERT_TRUE(asked) << asked.error().what;
  EXPECT_TRUE(has(*asked, "threads-1"));
}

HypothesisSet proposed_here() {
  const Insight here = insight();
  return collect_hypotheses(
             {.insight = here, .advisor = {}, .recipes = {}, .only = {}, .calibration_data = {}})
      .value();
}

TEST(Collect, SaysWhyThereIsNothingToTryOfAHypothesis) {
  HypothesisSet all = proposed_here();
  const Status refused = narrow({"fp16"}, all);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "there is nothing to try of 'fp16'");
  EXPECT_THAT(refused.error().cause, HasSubstr("computes in fp32 between casts"));
}

TEST(Collect, LeavesWhatIsNamedAndSaysOfTheRestThatItIsNot) {
  HypothesisSet all = proposed_here();
  const std::size_t before = all.hypotheses.size();
  ASSERT_TRUE(narrow({"threads-1"}, all));
  ASSERT_EQ(all.hypotheses.size(), 2U);
  EXPECT_EQ(all.hypotheses[0].id, "baseline");
  EXPECT_EQ(all.hypotheses[1].id, "threads-1");
  const auto said = std::ranges::count(all.skips, std::string("not named by --only-hypotheses"),
                                       &SkippedHypothesis::reason);
  EXPECT_EQ(static_cast<std::size_t>(said), before - 2);
}

}  // namespace
}  // namespace hone
