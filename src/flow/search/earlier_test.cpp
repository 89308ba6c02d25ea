#include "flow/search/earlier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

SearchArm arm(const std::string& id, ArmOutcome outcome) {
  SearchArm made;
  made.hypothesis.id = id;
  made.hypothesis.dimension = id == "baseline" ? "baseline" : "session";
  made.hypothesis.recipe.session.options = {{"arm", id}};
  made.recipe_hash = hash_of(made.hypothesis.recipe);
  made.outcome = outcome;
  return made;
}

SearchArm compared(const std::string& id, double ratio) {
  SearchArm made = arm(id, ArmOutcome::confirmed);
  ComparedArm& speed = made.confirmed.emplace();
  speed.name = id;
  speed.verdict = ratio < 1 ? Verdict::faster : Verdict::slower;
  speed.is_worth_keeping = ratio < 1;
  speed.ratio = ratio;
  speed.interval = {ratio - 0.01, ratio + 0.01};
  made.accuracy.emplace().verdict = CheckVerdict::pass;
  return made;
}

Comparison comparison_of(const SearchArm& arm) {
  Comparison made;
  made.arms = {*arm.confirmed};
  made.sessions = 6;
  return made;
}

// A search that kept "fast", let "slow" go and did not reach "late".
SearchResult first_run() {
  SearchResult result;
  result.objective = "latency";
  result.arms = {arm("baseline", ArmOutcome::baseline), compared("fast", 0.8),
                 arm("slow", ArmOutcome::futile), arm("late", ArmOutcome::pending)};
  result.champion = "fast";
  result.verdict = "fast ships: 0.800 of the baseline's time";
  result.confirmation = comparison_of(result.arms[1]);
  result.baseline_ms = 10;
  return result;
}

// One that was told to try "late" alone.
SearchResult second_run(SearchArm late) {
  SearchResult result;
  result.objective = "latency";
  result.arms = {arm("baseline", ArmOutcome::baseline), std::move(late)};
  result.skips = {{"fast", "session", "", "not named by --only-hypotheses", {}},
                  {"other", "session", "", "not named by --only-hypotheses", {}}};
  result.verdict = "the baseline ships: nothing that may ship came out faster in the race";
  result.baseline_ms = 11;
  return result;
}

std::vector<std::string> ids_in(const SearchResult& result) {
  std::vector<std::string> ids;
  for (const SearchArm& one : result.arms) ids.push_back(one.hypothesis.id);
  return ids;
}

const SearchArm& find(const SearchResult& result, const std::string& id) {
  return *std::ranges::find_if(result.arms,
                               [&](const SearchArm& one) { return one.hypothesis.id == id; });
}

TEST(EarlierRuns, OfASearchAreNotLostToANarrowerOne) {
  SearchResult result = second_run(arm("late", ArmOutcome::raced_out));
  add_earlier(first_run(), result);
  EXPECT_THAT(ids_in(result), ElementsAre("baseline", "late", "fast", "slow"));
  EXPECT_EQ(find(result, "late").outcome, ArmOutcome::raced_out) << "this run reached it";
  EXPECT_EQ(find(result, "slow").outcome, ArmOutcome::futile);
  EXPECT_EQ(result.champion, "fast");
  EXPECT_THAT(result.verdict, HasSubstr("fast ships: 0.800 of the baseline's time; nothing that"));
  ASSERT_TRUE(result.confirmation);
  EXPECT_EQ(result.confirmation->arms.front().name, "fast");
  EXPECT_EQ(result.baseline_ms, 10) << "that of the champion's confirmation";
  ASSERT_THAT(result.skips, SizeIs(1));
  EXPECT_EQ(result.skips.front().id, "other") << "what is told is not skipped";
  EXPECT_THAT(result.notes,
              ElementsAre("2 arms of earlier runs in this folder are told as found then"));
}

TEST(EarlierRuns, GiveTheirChampionToABetterOne) {
  SearchResult result = second_run(compared("late", 0.6));
  result.champion = "late";
  result.verdict = "late ships: 0.600 of the baseline's time";
  result.confirmation = comparison_of(result.arms[1]);
  add_earlier(first_run(), result);
  EXPECT_EQ(result.champion, "late");
  EXPECT_EQ(result.confirmation->arms.front().name, "late");
  ASSERT_THAT(result.earlier, SizeIs(1)) << "the samples of the other stay";
  EXPECT_EQ(result.earlier.front().arms.front().name, "fast");
  EXPECT_EQ(find(result, "fast").outcome, ArmOutcome::confirmed);
}

TEST(EarlierRuns, KeepTheirChampionBeforeALesserOne) {
  SearchResult result = second_run(compared("late", 0.9));
  result.champion = "late";
  result.confirmation = comparison_of(result.arms[1]);
  add_earlier(first_run(), result);
  EXPECT_EQ(result.champion, "fast");
  ASSERT_THAT(result.earlier, SizeIs(1));
  EXPECT_EQ(result.earlier.front().arms.front().name, "late");
}

TEST(EarlierRuns, StandInForWhatATimeBudgetDidNotReach) {
  SearchResult result = first_run();
  result.champion.reset();
  result.confirmation.reset();
  result.arms[1] = arm("fast", ArmOutcome::pending);
  result.arms[2] = arm("slow", ArmOutcome::out_of_time);
  add_earlier(first_run(), result);
  EXPECT_EQ(find(result, "fast").outcome, ArmOutcome::confirmed);
  EXPECT_EQ(find(result, "slow").outcome, ArmOutcome::futile);
  EXPECT_EQ(result.champion, "fast");
}

TEST(EarlierRuns, StayComparedWhereANewRaceLetsThemGo) {
  SearchResult result = second_run(arm("late", ArmOutcome::raced_out));
  result.arms.push_back(arm("fast", ArmOutcome::raced_out));
  add_earlier(first_run(), result);
  EXPECT_EQ(find(result, "fast").outcome, ArmOutcome::confirmed);
}

TEST(EarlierRuns, JudgedByAnotherGateKeepTheirSpeedAndShipNothing) {
  SearchResult result = second_run(arm("late", ArmOutcome::raced_out));
  result.gate = "stricter";
  add_earlier(first_run(), result);
  EXPECT_FALSE(result.champion);
  EXPECT_FALSE(find(result, "fast").accuracy);
  EXPECT_EQ(find(result, "fast").outcome, ArmOutcome::confirmed);
}

TEST(EarlierRuns, OfTheSameSearchChangeNothing) {
  SearchResult result = first_run();
  add_earlier(first_run(), result);
  EXPECT_EQ(result.champion, "fast");
  EXPECT_EQ(result.verdict, first_run().verdict);
  EXPECT_THAT(ids_in(result), ElementsAre("baseline", "fast", "slow", "late"));
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_THAT(result.earlier, IsEmpty());
}

SearchPlan plan_of(const std::vector<std::string>& ids) {
  SearchPlan plan;
  for (const std::string& id : ids)
    plan.hypotheses.push_back(arm(id, ArmOutcome::pending).hypothesis);
  return plan;
}

TEST(EarlierRuns, HoldForTheSameModelMachineConditionsAndBaseline) {
  SearchPlan plan = plan_of({"baseline", "late"});
  EXPECT_EQ(what_differs(plan, first_run()), "");
  plan.conditions = "other inputs";
  EXPECT_THAT(what_differs(plan, first_run()), HasSubstr("inputs, shapes, seed"));
  plan = plan_of({"baseline", "late"});
  plan.environment = "another machine";
  EXPECT_THAT(what_differs(plan, first_run()), HasSubstr("another machine"));
  EXPECT_THAT(what_differs(plan_of({"another baseline"}), first_run()), HasSubstr("baseline"));
  plan = plan_of({"baseline", "late"});
  plan.model_sha256 = "another";
  EXPECT_THAT(what_differs(plan, first_run()), HasSubstr("model"));
  plan = plan_of({"baseline", "late"});
  plan.hypotheses.front().recipe.target = {.ep = "sim", .device = "npu", .options = {}};
  EXPECT_EQ(what_differs(plan, first_run()), "it is on cpu, and this one on sim/npu");
}

TEST(EarlierRuns, ShareTheLevelWithWhatIsTriedNow) {
  EXPECT_EQ(finals_held_before(plan_of({"baseline", "late"}), first_run()), 1U);
  EXPECT_EQ(finals_held_before(plan_of({"baseline", "fast", "late"}), first_run()), 0U);
  SearchResult mixed = first_run();
  mixed.arms[1].hypothesis.id = "late+slow";
  mixed.arms[1].hypothesis.dimension = "mix";
  mixed.arms[1].recipe_hash = "of the mix";
  EXPECT_EQ(finals_held_before(plan_of({"baseline", "late", "slow"}), mixed), 0U)
      << "it comes about again";
  EXPECT_EQ(finals_held_before(plan_of({"baseline", "late"}), mixed), 1U);
}

}  // namespace
}  // namespace hone
