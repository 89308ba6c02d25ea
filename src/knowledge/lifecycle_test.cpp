#include "knowledge/lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/check.h"
#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string now = "2026-03-01T12:00:00Z";

Finding draft() {
  Finding finding = confirmed_finding();
  finding.status = FindingStatus::draft;
  return finding;
}

TEST(Lifecycle, BeginsAsADraftWhateverTheFileSays) {
  const Finding finding = added(confirmed_finding(), FindingAction::added, now);
  EXPECT_EQ(finding.status, FindingStatus::draft);
  EXPECT_EQ(finding.history.size(), 3u);
  EXPECT_EQ(finding.history.back().why, "as a draft; it came as confirmed");
}

TEST(Lifecycle, ACounterexampleOpensWhatWasConfirmed) {
  const Finding finding =
      falsified(confirmed_finding(), trial_on("c.onnx", "third", 'c'), "it gained 8 %", now);
  EXPECT_EQ(finding.status, FindingStatus::draft);
  EXPECT_EQ(finding.scope.falsified_on.size(), 1u);
  EXPECT_EQ(finding.history.size(), 3u);
  EXPECT_THAT(finding.history.back().why,
              HasSubstr("c.onnx on qnn/npu: it gained 8 %; open again"));
  EXPECT_THAT(problems_of(finding), IsEmpty());
}

// The same change, measured faster.
Finding seen_faster() {
  Finding finding = draft();
  finding.id = "npu-200";
  finding.effect->direction = EffectDirection::faster;
  finding.effect->ratio = 0.5;
  finding.effect->interval = {0.4, 0.6};
  finding.advice = FindingAdvice::prefer;
  finding.when.all.pop_back();
  finding.scope.validated_on = {trial_on("c.onnx", "third", 'c')};
  return finding;
}

TEST(Lifecycle, AMeasurementOfTheOppositeOpensWhatWasConfirmed) {
  const Finding finding = contradicted(confirmed_finding(), seen_faster(), now);
  EXPECT_EQ(finding.status, FindingStatus::draft);
  ASSERT_EQ(finding.scope.falsified_on.size(), 1u);
  EXPECT_EQ(finding.scope.falsified_on[0].model, "c.onnx");
  EXPECT_THAT(finding.history.back().why, HasSubstr("it was faster (npu-200); open again"));
  EXPECT_FALSE(promoted(finding, now));
  EXPECT_EQ(contradicted(finding, seen_faster(), now).history.size(), finding.history.size())
      << "once is enough";
}

TEST(Lifecycle, WhatIsNotTheOppositeOfTheSameOpensNothing) {
  const auto stays = [](const Finding& seen) {
    return contradicted(confirmed_finding(), seen, now).status == FindingStatus::confirmed;
  };
  Finding seen = seen_faster();
  seen.effect->method = EffectMethod::sequential;
  EXPECT_TRUE(stays(seen)) << "not interleaved";
  seen = seen_faster();
  seen.effect->direction = EffectDirection::slower;
  EXPECT_TRUE(stays(seen)) << "the same direction";
  seen = seen_faster();
  seen.change->keys = {"attention_fusion"};
  EXPECT_TRUE(stays(seen)) << "another change";
  seen = seen_faster();
  seen.scope.validated_on[0].device = "gpu";
  EXPECT_TRUE(stays(seen)) << "another device";
  seen = seen_faster();
  seen.scope.validated_on[0].ep_version = "1.31.0";
  EXPECT_TRUE(stays(seen)) << "another major version";
}

TEST(Lifecycle, ACounterexampleDoesNotRaiseWhatWasRefuted) {
  Finding finding = draft();
  finding.status = FindingStatus::refuted;
  EXPECT_EQ(falsified(finding, trial_on("c.onnx", "third", 'c'), "no", now).status,
            FindingStatus::refuted);
}

TEST(Lifecycle, PromotesWhatTheRuleHoldsFor) {
  const auto finding = promoted(draft(), now);
  ASSERT_TRUE(finding) << finding.error().cause;
  EXPECT_EQ(finding->status, FindingStatus::confirmed);
  EXPECT_EQ(finding->history.back().action, FindingAction::promoted);
  EXPECT_THAT(problems_of(*finding), IsEmpty());
}

TEST(Lifecycle, AWideIntervalShowsNoEquivalence) {
  Finding finding = draft();
  finding.advice = FindingAdvice::skip;
  finding.effect->direction = EffectDirection::equivalent;
  finding.effect->ratio = 1;
  finding.effect->interval = {0.2, 5.0};
  const auto refused = promoted(finding, now);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("does not show that it is equivalent"));
  finding.effect->interval = {0.97, 1.04};
  EXPECT_TRUE(promoted(finding, now));
}

TEST(Lifecycle, SaysAllThatIsMissingForAPromotion) {
  Finding finding = draft();
  finding.effect->method = EffectMethod::sequential;
  finding.effect->interval.clear();
  finding.scope.validated_on.pop_back();
  const auto refused = promoted(finding, now);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("not interleaved"));
  EXPECT_THAT(refused.error().cause, HasSubstr("no interval"));
  EXPECT_THAT(refused.error().cause, HasSubstr("seen twice"));
}

TEST(Lifecycle, DoesNotPromoteWhatHasACounterexample) {
  Finding finding = draft();
  finding.scope.falsified_on = {trial_on("c.onnx", "third", 'c')};
  const auto refused = promoted(finding, now);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("falsified on c.onnx"));
  finding.scope.falsified_on[0].ep_version = "1.0.0";
  EXPECT_TRUE(promoted(finding, now)) << "it was another major version";
}

TEST(Lifecycle, DoesNotPromoteWhatIsOverOrDone) {
  Finding finding = draft();
  finding.status = FindingStatus::refuted;
  EXPECT_FALSE(promoted(finding, now));
  EXPECT_FALSE(promoted(confirmed_finding(), now));
}

TEST(Lifecycle, JoinsWhatAnotherSearchHasSeenOfTheSameClaim) {
  Finding mine = draft();
  mine.scope.validated_on.pop_back();
  mine.effect->method = EffectMethod::sequential;
  const auto finding = joined(mine, draft(), now);
  ASSERT_TRUE(finding) << finding.error().cause;
  EXPECT_EQ(finding->scope.validated_on.size(), 2u);
  EXPECT_EQ(finding->effect->method, EffectMethod::interleaved);
  EXPECT_EQ(finding->history.size(), mine.history.size() + 1);
  EXPECT_TRUE(promoted(*finding, now));
}

TEST(Lifecycle, JoiningNothingNewChangesNothing) {
  const auto finding = joined(draft(), draft(), now);
  ASSERT_TRUE(finding);
  EXPECT_EQ(to_json(*finding), to_json(draft()));
}

TEST(Lifecycle, JoiningACounterexampleOpensWhatWasConfirmed) {
  Finding seen = draft();
  seen.scope.falsified_on = {trial_on("c.onnx", "third", 'c')};
  EXPECT_EQ(joined(confirmed_finding(), seen, now)->status, FindingStatus::draft);
}

TEST(Lifecycle, DoesNotJoinDifferentClaims) {
  Finding seen = draft();
  seen.effect->direction = EffectDirection::faster;
  EXPECT_FALSE(joined(draft(), seen, now));
  seen = draft();
  seen.change->keys = {"attention_fusion"};
  EXPECT_FALSE(joined(draft(), seen, now));
  seen = draft();
  seen.when.all.pop_back();
  EXPECT_FALSE(joined(draft(), seen, now));
}

}  // namespace
}  // namespace hone
