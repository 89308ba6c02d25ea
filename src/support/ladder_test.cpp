#include "support/ladder.h"

#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"

namespace hone {
namespace {

TEST(Ladder, IsReachedUpToItsLastPass) {
  Ladder ladder = testing::good_ladder(testing::good_recipe());
  EXPECT_EQ(reached(ladder), Tier::l3);
  ladder.tiers[3].verdict = TierVerdict::cli_blocked;
  EXPECT_EQ(reached(ladder), Tier::l2);
  ladder.tiers[0].verdict = TierVerdict::fail;
  EXPECT_EQ(reached(ladder), std::nullopt);
}

TEST(Ladder, IsNotReachedAboveATargetThatDidNotRun) {
  Ladder ladder = testing::good_ladder(testing::good_recipe());
  ladder.tiers[1].verdict = TierVerdict::host_blocked;
  EXPECT_EQ(reached(ladder), Tier::l0);
}

TEST(Ladder, GoesOnAfterWhatIsBlockedAndEndsWithAFail) {
  EXPECT_TRUE(goes_on(TierVerdict::host_blocked));
  EXPECT_TRUE(goes_on(TierVerdict::cli_blocked));
  EXPECT_TRUE(goes_on(TierVerdict::timeout));
  EXPECT_FALSE(goes_on(TierVerdict::fail));
}

TEST(Ladder, AsksForAsMuchAsThePrecisionKeeps) {
  Recipe recipe;
  EXPECT_EQ(least_cosine_of(recipe), 0.999);
  recipe.quantize.emplace();
  recipe.quantize->precisions = {"fp16"};
  EXPECT_EQ(least_cosine_of(recipe), 0.99);
  recipe.quantize->precisions = {"w8a16"};
  EXPECT_EQ(least_cosine_of(recipe), 0.95);
  recipe.quantize->precisions = {"fp16", "w8a8"};
  EXPECT_EQ(least_cosine_of(recipe), 0.90);
}

class Runs : public ::testing::Test {
 protected:
  std::vector<RunProof> runs_ = testing::good_ladder(testing::good_recipe()).tiers[1].runs;
};

TEST_F(Runs, PassWhereOneTargetRanAndTheOthersAreNotThere) {
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::pass);
}

TEST_F(Runs, AreBlockedByTheHostWhereNoTargetIsThere) {
  runs_.erase(runs_.begin());
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::host_blocked);
}

TEST_F(Runs, AreBlockedWhereAnotherTargetRanAndTheRecipesDidNot) {
  RunProof other = runs_[0];
  other.speed.reset();
  runs_ = {runs_[1], other};
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::host_blocked);
  runs_[1].speed = testing::good_race();
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
}

TEST_F(Runs, FailWhereTheRecipeIsAtFault) {
  runs_[1].kind = RunClass::recipe;
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
}

TEST_F(Runs, FailWithoutPlacementMemoryOrARace) {
  const auto with = [&](void (*change)(RunProof&)) {
    std::vector<RunProof> runs = runs_;
    change(runs[0]);
    return judge_runs(runs).verdict;
  };
  EXPECT_EQ(with([](RunProof& run) { run.placement.reset(); }), TierVerdict::fail);
  EXPECT_EQ(with([](RunProof& run) { run.placement = 1.5; }), TierVerdict::fail);
  EXPECT_EQ(with([](RunProof& run) { run.peak_bytes.reset(); }), TierVerdict::fail);
  EXPECT_EQ(with([](RunProof& run) { run.speed.reset(); }), TierVerdict::fail);
  EXPECT_EQ(with([](RunProof& run) { run.speed->interval = {0.7, 0.8}; }), TierVerdict::fail);
}

TEST_F(Runs, FailWithPercentilesThatNoRunHas) {
  runs_[0].p90_ms = 9.0;
  runs_[0].p99_ms = 10.0;
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::pass);
  runs_[0].p99_ms = 8.5;
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
  runs_[0].p90_ms = -5;
  runs_[0].p99_ms.reset();
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
}

// The verdict of a race, its ratio and its interval.
TierVerdict of_race(Verdict verdict, double ratio, std::vector<double> interval) {
  std::vector<RunProof> runs = testing::good_ladder(testing::good_recipe()).tiers[1].runs;
  Comparison& race = *runs[0].speed;
  race.noise_floor = 0.02;
  race.verdict = race.arms[0].verdict = verdict;
  race.ratio = race.arms[0].ratio = ratio;
  race.interval = race.arms[0].interval = std::move(interval);
  return judge_runs(runs).verdict;
}

TEST(RaceOfARun, SaysWhatItsIntervalSays) {
  EXPECT_EQ(of_race(Verdict::faster, 0.9, {0.85, 0.95}), TierVerdict::pass);
  EXPECT_EQ(of_race(Verdict::faster, 0.01, {0.001, 1e9}), TierVerdict::fail);
  EXPECT_EQ(of_race(Verdict::faster, 0.99, {0.985, 0.995}), TierVerdict::fail);  // noise
  EXPECT_EQ(of_race(Verdict::slower, 1.3, {1.2, 1.4}), TierVerdict::pass);
  EXPECT_EQ(of_race(Verdict::slower, 0.9, {0.85, 0.95}), TierVerdict::fail);
  EXPECT_EQ(of_race(Verdict::equivalent, 1.0, {0.985, 1.015}), TierVerdict::pass);
  EXPECT_EQ(of_race(Verdict::equivalent, 1.0, {0.9, 1.1}), TierVerdict::fail);
  EXPECT_EQ(of_race(Verdict::inconclusive, 1.0, {0.9, 1.1}), TierVerdict::pass);
}

TEST_F(Runs, FailWithARaceThatIsNotOfItsArm) {
  runs_[0].speed->arms[0].ratio = 0.65;
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
  runs_[0].speed->arms.clear();
  EXPECT_EQ(judge_runs(runs_).verdict, TierVerdict::fail);
}

TEST(Parity, HoldsForTheLowEndOfTheInterval) {
  ParityProof proof = *testing::good_ladder(testing::good_recipe()).tiers[2].parity;
  EXPECT_EQ(judge_parity(proof).verdict, TierVerdict::pass);
  proof.outputs[0].cosine->low = 0.949;
  EXPECT_EQ(judge_parity(proof).verdict, TierVerdict::fail);
}

TEST(Parity, IsNotShownByOutputsThatNothingMoves) {
  ParityProof proof = *testing::good_ladder(testing::good_recipe()).tiers[2].parity;
  proof.outputs[0].constant = true;
  const TierJudgement judged = judge_parity(proof);
  EXPECT_EQ(judged.verdict, TierVerdict::fail);
  EXPECT_NE(judged.reason.find("no output changes"), std::string::npos) << judged.reason;
  proof.outputs.push_back(proof.outputs[0]);
  proof.outputs.back().constant.reset();
  EXPECT_EQ(judge_parity(proof).verdict, TierVerdict::pass) << "the other output counts";
}

TEST(Parity, FailsWhereOutputsCannotBeCompared) {
  ParityProof proof = *testing::good_ladder(testing::good_recipe()).tiers[2].parity;
  proof.outputs[0].not_comparable = 1;
  EXPECT_EQ(judge_parity(proof).verdict, TierVerdict::fail);
}

TEST(TaskTier, FailsWhereADropCannotBeExcluded) {
  TaskProof proof = *testing::good_ladder(testing::good_recipe()).tiers[3].task;
  EXPECT_EQ(judge_task(proof).verdict, TierVerdict::pass);
  proof.metric.difference->low = -0.02;
  EXPECT_EQ(judge_task(proof).verdict, TierVerdict::fail);
}

}  // namespace
}  // namespace hone
