#include "knowledge/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Change gelu = {"optimize", {"gelu_fusion"}};

Advice advise_on(const Finding& finding, const Situation& situation = matching_situation(),
                 const Change& change = gelu) {
  return advise(std::span(&finding, 1), situation, change);
}

// That it moves the arm back and leaves it in, and says why.
void expect_orders_only(const Advice& advice, const std::string& why) {
  EXPECT_FALSE(advice.prunes);
  EXPECT_LT(advice.priority_delta, 0);
  EXPECT_THAT(advice.why, ElementsAre(HasSubstr(why)));
}

TEST(Advice, RulesOutWhatWasConfirmedTwiceAndApplies) {
  const Advice advice = advise_on(confirmed_finding());
  EXPECT_EQ(advice.prunes, "npu-100");
  EXPECT_EQ(advice.priority_delta, -1);
  EXPECT_THAT(advice.why, ElementsAre(HasSubstr("npu-100 (confirmed, skip): Gelu fusion is slow")));
}

TEST(Advice, OfADraftOrdersAndNeverRulesOut) {
  Finding finding = confirmed_finding();
  finding.status = FindingStatus::draft;
  expect_orders_only(advise_on(finding), "a draft orders");
}

TEST(Advice, ThatSaysAvoidNeverRulesOut) {
  Finding finding = confirmed_finding();
  finding.advice = FindingAdvice::avoid;
  expect_orders_only(advise_on(finding), "npu-100 (confirmed, avoid)");
}

TEST(Advice, NeedsTwoIndependentConfirmationsToRuleOut) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[1] = trial_on("a.onnx", "left", 'b');
  expect_orders_only(advise_on(finding), "not seen twice");
  finding.scope.validated_on[1] = trial_on("a.onnx", "right", 'b');
  EXPECT_TRUE(advise_on(finding).prunes) << "another machine";
  finding.scope.validated_on[1] = trial_on("b.onnx", "left", 'b');
  EXPECT_TRUE(advise_on(finding).prunes) << "another model";
}

TEST(Advice, CountsAConfirmationOnlyWithEvidenceOfItsOwn) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[1].evidence.reset();
  expect_orders_only(advise_on(finding), "not seen twice");
  finding.scope.validated_on[1].evidence = finding.scope.validated_on[0].evidence;
  expect_orders_only(advise_on(finding), "not seen twice");
}

TEST(Advice, DoesNotTakeAnUnknownMachineForAnother) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[1] = trial_on("a.onnx", "right", 'b');
  finding.scope.validated_on[1].machine.reset();
  expect_orders_only(advise_on(finding), "not seen twice");
}

TEST(Advice, TakesARenamedModelOrAnUpdatedMachineForTheSame) {
  Finding finding = confirmed_finding();
  FindingTrial& first = finding.scope.validated_on[0];
  FindingTrial& second = finding.scope.validated_on[1];
  first.model_fingerprint = second.model_fingerprint = std::string(64, '1');
  first.hardware = second.hardware = "0123";
  expect_orders_only(advise_on(finding), "not seen twice");
  second.hardware = "4567";
  EXPECT_TRUE(advise_on(finding).prunes) << "other hardware";
  second.hardware = "0123";
  second.model_fingerprint = std::string(64, '2');
  EXPECT_TRUE(advise_on(finding).prunes) << "other content";
}

// Trials of before the fingerprint have a name alone, which may be of the same bytes.
TEST(Advice, DoesNotTakeAnotherNameForAnotherContent) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[0].model_fingerprint = std::string(64, '1');
  finding.scope.validated_on[0].hardware = "0123";
  expect_orders_only(advise_on(finding), "not seen twice");
}

TEST(Advice, CountsConfirmationsOfTheSameMajorVersionOfTheEpAlone) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[1].ep_version = "1.31.0";
  expect_orders_only(advise_on(finding), "not seen twice");
}

TEST(Advice, CountsConfirmationsOfTheSameEpAndDeviceAlone) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on[1].device = "gpu";
  expect_orders_only(advise_on(finding), "not seen twice");
  finding = confirmed_finding();
  finding.scope.validated_on[1].ep = "dml";
  expect_orders_only(advise_on(finding), "not seen twice");
}

TEST(Advice, IsOpenAgainAfterACounterexampleInTheSameMajorVersion) {
  Finding finding = confirmed_finding();
  finding.scope.falsified_on = {trial_on("c.onnx", "third", 'c')};
  expect_orders_only(advise_on(finding), "did not hold on c.onnx");
  finding.scope.falsified_on[0].ep_version = "";
  expect_orders_only(advise_on(finding), "did not hold on c.onnx");
  finding.scope.falsified_on[0].ep_version = "1.9.0";
  EXPECT_TRUE(advise_on(finding).prunes) << "a counterexample of another major";
  finding.scope.falsified_on[0] = trial_on("c.onnx", "third", 'c');
  finding.scope.falsified_on[0].ep = "dml";
  EXPECT_TRUE(advise_on(finding).prunes) << "a counterexample of another EP";
}

TEST(Advice, IsStaleInAnotherVersionOfTheRuntimeOrOfTheEp) {
  Situation situation = matching_situation();
  situation.ort_version = "1.25.0";
  expect_orders_only(advise_on(confirmed_finding(), situation), "as stale");
  situation = matching_situation();
  situation.ep_version = "2.40.0";
  expect_orders_only(advise_on(confirmed_finding(), situation), "as stale");
  situation = matching_situation();
  situation.ep_version = "";
  expect_orders_only(advise_on(confirmed_finding(), situation), "as stale");
}

TEST(Advice, NeverRulesOutWhereThePredicateIsUnknownOrWrong) {
  Situation situation = matching_situation();
  situation.patterns.reset();
  expect_orders_only(advise_on(confirmed_finding(), situation), "not known whether it applies");
  situation.patterns.emplace();
  const Advice advice = advise_on(confirmed_finding(), situation);
  EXPECT_FALSE(advice.prunes);
  EXPECT_EQ(advice.priority_delta, 0);
  EXPECT_THAT(advice.why, IsEmpty());
}

TEST(Advice, OfAHarnessFindingDoesNotExist) {
  Finding finding = confirmed_finding();
  finding.kind = FindingKind::harness;
  EXPECT_THAT(rule_on(std::span(&finding, 1), matching_situation(), gelu), IsEmpty());
}

TEST(Advice, IgnoresWhatWasRefutedOrSupersededButTellsOfIt) {
  Finding finding = confirmed_finding();
  finding.status = FindingStatus::refuted;
  finding.history.push_back({"2026-02-01", FindingAction::refuted, "it was the load"});
  EXPECT_EQ(advise_on(finding).priority_delta, 0);
  const auto rulings = rule_on(std::span(&finding, 1), matching_situation(), gelu);
  ASSERT_EQ(rulings.size(), 1u);
  EXPECT_EQ(rulings[0].does, RulingKind::nothing);
  EXPECT_EQ(rulings[0].why, "refuted: it was the load");
  finding.status = FindingStatus::superseded;
  finding.superseded_by = "npu-101";
  EXPECT_FALSE(advise_on(finding).prunes);
  EXPECT_EQ(rule_on(std::span(&finding, 1), matching_situation(), gelu)[0].why,
            "superseded by npu-101");
}

TEST(Advice, IsAboutTheChangeItNames) {
  const Finding finding = confirmed_finding();
  EXPECT_TRUE(advise_on(finding, matching_situation(), {"optimize", {"gelu-fusion"}}).prunes);
  EXPECT_THAT(advise_on(finding, matching_situation(), {"optimize", {"attention_fusion"}}).why,
              IsEmpty());
  EXPECT_THAT(advise_on(finding, matching_situation(), {"session", {"gelu_fusion"}}).why,
              IsEmpty());
  expect_orders_only(
      advise_on(finding, matching_situation(), {"optimize", {"gelu_fusion", "attention_fusion"}}),
      "a part of this change");
}

TEST(Advice, AboutAPackSaysNothingOfItsParts) {
  Finding finding = confirmed_finding();
  finding.change->keys = {"gelu_fusion", "attention_fusion"};
  EXPECT_THAT(advise_on(finding).why, IsEmpty());
}

TEST(Advice, AboutSeveralOpsetsIsAboutEachOfThem) {
  Finding finding = confirmed_finding();
  finding.change = Change{"opset", {"19", "21"}};
  EXPECT_TRUE(advise_on(finding, matching_situation(), {"opset", {"21"}}).prunes);
  EXPECT_THAT(advise_on(finding, matching_situation(), {"opset", {"20"}}).why, IsEmpty());
  EXPECT_THAT(known_changes(std::span(&finding, 1)),
              ElementsAre(Change{"opset", {"19"}}, Change{"opset", {"21"}}));
}

TEST(Advice, AboutAPrecisionIsNotAboutItsOtherKind) {
  Finding finding = confirmed_finding();
  finding.change = Change{"precision", {"w8a8", "w8a16"}};
  EXPECT_TRUE(advise_on(finding, matching_situation(), {"precision", {"w8a8"}}).prunes);
  expect_orders_only(advise_on(finding, matching_situation(), {"precision", {"w8a8+per_channel"}}),
                     "a part of this change");
  finding.change = Change{"precision", {"w8a8+per_channel"}};
  EXPECT_THAT(advise_on(finding, matching_situation(), {"precision", {"w8a8"}}).why, IsEmpty());
}

TEST(Advice, WeighsFindingsByWhatTheyRestOn) {
  Finding finding = confirmed_finding();
  finding.advice = FindingAdvice::prefer;
  finding.effect->direction = EffectDirection::faster;
  const double confirmed = advise_on(finding).priority_delta;
  finding.status = FindingStatus::draft;
  const double interleaved = advise_on(finding).priority_delta;
  finding.effect->method = EffectMethod::sequential;
  const double sequential = advise_on(finding).priority_delta;
  finding.effect->method = EffectMethod::anecdote;
  const double told = advise_on(finding).priority_delta;
  EXPECT_GT(confirmed, interleaved);
  EXPECT_GT(interleaved, sequential);
  EXPECT_GT(sequential, told);
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace hone
