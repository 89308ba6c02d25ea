// What ships by accuracy, what the front is, and why nothing ships.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Search, ShipsTheMostAccurateWithinTheLatencyBudget) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm{.accuracy_value = 0.80};
    if (has(recipe, "fast")) arm = {.effect = -0.5, .accuracy_value = 0.70};
    if (has(recipe, "good")) arm = {.effect = -0.2, .accuracy_value = 0.85};
    if (has(recipe, "slow")) arm = {.effect = 0.2, .accuracy_value = 0.95};
    return arm;
  });
  SearchPlan plan = plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("fast", "a"),
                             hypothesis_of("good", "a"), hypothesis_of("slow", "a")});
  plan.objective = SearchObjective::accuracy;
  plan.latency_budget_ms = 0.9;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(result.champion, "good");
  EXPECT_EQ(result.latency_budget_ms, 0.9);
}

TEST(Search, NamesTheFrontOfSpeedAndAccuracy) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm{.accuracy_value = 0.80};
    if (has(recipe, "fast")) arm = {.effect = -0.5, .accuracy_value = 0.70};
    if (has(recipe, "good")) arm = {.effect = -0.2, .accuracy_value = 0.85};
    if (has(recipe, "beaten")) arm = {.effect = -0.1, .accuracy_value = 0.75};
    return arm;
  });
  SearchPlan plan = plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("fast", "a"),
                             hypothesis_of("good", "a"), hypothesis_of("beaten", "a")});
  plan.objective = SearchObjective::pareto;
  const SearchResult result = search_on(machine, plan);
  EXPECT_THAT(result.front, ElementsAre("fast", "good"));
  EXPECT_EQ(result.champion, "fast");
}

TEST(Search, NamesTheBaselineInTheFrontWhereNothingBeatsIt) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm{.accuracy_value = 0.80};
    if (has(recipe, "fast")) arm = {.effect = -0.5, .accuracy_value = 0.70};
    if (has(recipe, "worse")) arm = {.effect = 0.2, .accuracy_value = 0.75};
    return arm;
  });
  SearchPlan plan = plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("fast", "a"),
                             hypothesis_of("worse", "a")});
  plan.objective = SearchObjective::pareto;
  const SearchResult result = search_on(machine, plan);
  ASSERT_TRUE(find_arm(result, "worse")->confirmed);
  EXPECT_THAT(result.front, ElementsAre("fast", "baseline"));
}

TEST(Search, SaysThatTheTimeWasOverBeforeAnythingWasRaced) {
  SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); });
  SearchPlan plan =
      plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("f1", "session")});
  plan.time_budget_s = 1;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(find_arm(result, "f1")->outcome, ArmOutcome::pending);
  EXPECT_EQ(result.verdict, "the baseline ships: the time was over before anything was raced");
}

TEST(Search, SaysThatNothingKeepsTheLatencyBudget) {
  SimulatedMachine machine(
      [](const Recipe& recipe) { return SimulatedArm{.effect = has(recipe, "f1") ? -0.1 : 0.0}; });
  SearchPlan plan =
      plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("f1", "session")});
  plan.objective = SearchObjective::accuracy;
  plan.latency_budget_ms = 0.1;
  const SearchResult result = search_on(machine, plan);
  EXPECT_FALSE(result.champion);
  EXPECT_THAT(result.verdict, HasSubstr("keeps the latency budget of 0.100 ms, not even the"));
}

// As fast as the baseline within the noise, and more accurate; sessions differ by 5 %.
SearchPlan plan_for_accuracy() {
  SearchPlan plan =
      plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("good", "session")});
  plan.objective = SearchObjective::accuracy;
  plan.latency_budget_ms = 2;
  return plan;
}

SimulatedMachine machine_of_wide_intervals() {
  return SimulatedMachine(
      [](const Recipe& recipe) {
        return SimulatedArm{.accuracy_value = has(recipe, "good") ? 0.95 : 0.80};
      },
      {.noise = 0.01, .session_effect = 0.05});
}

TEST(Search, ShipsTheMoreAccurateThatKeepsTheBudgetThoughItsSpeedIsNotDecided) {
  SimulatedMachine machine = machine_of_wide_intervals();
  const SearchResult result = search_on(machine, plan_for_accuracy());
  ASSERT_TRUE(find_arm(result, "good")->confirmed);
  EXPECT_EQ(find_arm(result, "good")->confirmed->verdict, Verdict::inconclusive);
  EXPECT_EQ(result.champion, "good");
}

TEST(Search, ShipsNothingThatWasStoppedBeforeALook) {
  SimulatedMachine machine = machine_of_wide_intervals();
  machine.before_round = [&](std::size_t) {
    constexpr int in_the_final = 14;
    if (machine.blocks_of["good"] >= in_the_final) machine.stop = true;
    return done();
  };
  const SearchResult result = search_on(machine, plan_for_accuracy());
  EXPECT_TRUE(result.stopped);
  ASSERT_TRUE(find_arm(result, "good")->confirmed);
  EXPECT_TRUE(find_arm(result, "good")->confirmed->is_cut);
  EXPECT_FALSE(result.champion);
}

}  // namespace
}  // namespace hone
