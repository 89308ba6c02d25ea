// The time budget bounds everything a search does, by the clock of a simulated machine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

using testing::HasSubstr;

SimulatedArm f1_is_fast(const Recipe& recipe) {
  return {.effect = has(recipe, "f1") ? -0.4 : 0.001};
}

std::vector<Hypothesis> arms_named(int count) {
  std::vector<Hypothesis> hypotheses = {hypothesis_of("baseline", "baseline")};
  for (int i = 1; i <= count; ++i)
    hypotheses.push_back(hypothesis_of("f" + std::to_string(i), "d" + std::to_string(i % 3)));
  return hypotheses;
}

struct Costs {
  const char* name;
  double build_s;
  double check_s;
  double open_s;
  double block_s;
};

TEST(Budget, HoldsWhateverTakesLong) {
  const Costs all[] = {
      {"nothing", 0.1, 0.1, 0.1, 0.1},     {"builds", 25, 0.1, 0.1, 0.1},
      {"checks", 0.1, 25, 0.1, 0.1},       {"opening", 0.1, 0.1, 6, 0.1},
      {"runs", 0.1, 0.1, 0.1, 5},          {"the first build", 500, 0.1, 0.1, 0.1},
      {"the first session", 1, 1, 100, 1}, {"everything", 9, 9, 3, 2},
  };
  for (const Costs& costs : all) {
    for (const double budget : {10.0, 40.0, 90.0, 300.0}) {
      SimulatedMachine machine(f1_is_fast);
      machine.build_s = costs.build_s;
      machine.check_s = costs.check_s;
      machine.open_s = costs.open_s;
      machine.block_s = costs.block_s;
      machine.close_s = 0;
      SearchPlan plan = plan_of(arms_named(12));
      plan.time_budget_s = budget;
      plan.step_limit_s = 600;
      auto journal = SearchJournal::in_memory();
      (void)search(plan, machine.tools(), *journal);
      EXPECT_LE(machine.now, budget + 0.01) << costs.name << " of " << budget << " s";
    }
  }
}

TEST(Budget, EndsABuildInFlightAndTriesItAgainWhenThereIsTime) {
  SimulatedMachine machine(f1_is_fast);
  SearchPlan plan = plan_of(arms_named(1));
  plan.time_budget_s = 20;
  machine.after_step = [&] { machine.build_s = 50; };
  auto journal = SearchJournal::in_memory();
  const auto cut = search(plan, machine.tools(), *journal);
  ASSERT_TRUE(cut);
  EXPECT_EQ(find_arm(*cut, "f1")->outcome, ArmOutcome::out_of_time);
  EXPECT_EQ(find_arm(*cut, "f1")->reason, "the time was over while it was built");
  EXPECT_LE(machine.now, 20);
  plan.time_budget_s = 300;
  plan.began_s = machine.now;
  const auto resumed = search(plan, machine.tools(), *journal);
  ASSERT_TRUE(resumed);
  EXPECT_EQ(resumed->champion, "f1");
  EXPECT_EQ(machine.calls["build f1"], 2);
}

// A run of it takes two seconds, and opening it three.
void make_slow(SimulatedMachine& machine) {
  machine.open_s = 3;
  machine.block_s = 2;
  machine.close_s = 0;
}

TEST(Budget, ConfirmsTheBestOfASlowModelInShortSessionsAndSaysSo) {
  SimulatedMachine machine(f1_is_fast);
  make_slow(machine);
  SearchPlan plan = plan_of(arms_named(6));
  plan.time_budget_s = 240;
  plan.hypotheses[1].priority = 1;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(result.champion, "f1") << result.verdict;
  EXPECT_THAT(result.verdict, HasSubstr("for want of time"));
  EXPECT_THAT(result.verdict, HasSubstr("6 fresh sessions"));
  EXPECT_LE(machine.now, 240.01);
}

// Sessions take twice as long as before once it comes to the final.
TEST(Budget, SaysHowFarTheFinalOfASlowModelCame) {
  SimulatedMachine machine(f1_is_fast);
  make_slow(machine);
  machine.after_step = [&] {
    if (machine.calls["accuracy f1"] > 0) machine.open_s = 8;
  };
  SearchPlan plan = plan_of(arms_named(2));
  plan.time_budget_s = 110;
  plan.hypotheses[1].priority = 1;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(result.champion, std::nullopt);
  EXPECT_THAT(result.verdict, HasSubstr("f1 seems to take 0.6"));
  EXPECT_THAT(result.verdict,
              HasSubstr("the time sufficed for 2 sessions of the 3 that a verdict needs"));
  EXPECT_LE(machine.now, 110.01);
}

// All of the first arms are slower, so that their final is not held: what was kept for it goes to
// the others.
TEST(Budget, UsesTheTimeThatIsLeftForArmsThatWereNotReached) {
  SimulatedMachine machine([](const Recipe& recipe) {
    return SimulatedArm{.effect = has(recipe, "f12")               ? -0.4
                                  : recipe.session.options.empty() ? 0
                                                                   : 0.05};
  });
  machine.build_s = 5;
  SearchPlan plan = plan_of(arms_named(12));
  plan.time_budget_s = 150;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(result.champion, "f12") << result.verdict;
  EXPECT_LE(machine.now, 150.01);
}

// So slow that not even the shortest final fits into what the first session leaves: what the race
// shows is still worth something, and the journal keeps it.
TEST(Budget, RacesWhereThereIsNoTimeToConfirm) {
  for (const double budget : {60.0, 90.0, 120.0}) {
    SimulatedMachine machine(f1_is_fast);
    machine.open_s = 6;
    machine.block_s = 3;
    machine.close_s = 0;
    SearchPlan plan = plan_of(arms_named(16));
    plan.hypotheses[1].priority = 1;
    plan.time_budget_s = budget;
    const SearchResult result = search_on(machine, plan);
    EXPECT_TRUE(find_arm(result, "f1")->screen_ratio) << budget << ": " << result.verdict;
    EXPECT_THAT(result.verdict, HasSubstr("f1")) << budget;
    EXPECT_GT(machine.now, budget * 0.6) << budget;
    EXPECT_LE(machine.now, budget + 0.01) << budget;
  }
}

TEST(Budget, LeavesTheRestPendingOnlyWhenTheTimeIsUsed) {
  SimulatedMachine machine(f1_is_fast);
  machine.build_s = 5;
  SearchPlan plan = plan_of(arms_named(40));
  plan.hypotheses[1].priority = 1;
  plan.time_budget_s = 200;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(result.champion, "f1") << result.verdict;
  EXPECT_EQ(find_arm(result, "f40")->outcome, ArmOutcome::pending);
  EXPECT_GT(machine.now, 160);
  EXPECT_LE(machine.now, 200.01);
}

// A gate that takes long is given no more than leaves time for the final.
TEST(Budget, GatesNoArmPastTheTimeOfTheFinal) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm;
    if (!recipe.session.options.empty()) arm = {.effect = -0.3, .accuracy = CheckVerdict::fail};
    return arm;
  });
  SearchPlan plan = plan_of(arms_named(12));
  plan.time_budget_s = 120;
  machine.after_step = [&] {
    if (machine.calls["numerics f12"] > 0) machine.check_s = 20;
  };
  (void)search_on(machine, plan);
  EXPECT_LE(machine.now, 120.01);
}

TEST(Budget, KeepsNothingWhereNothingIsBetterHoweverShortTheTime) {
  constexpr int searches = 400;
  NoiseModel noise{.noise = 0.01, .drift = 0.05, .spike_rate = 0.01, .session_effect = 0.01};
  int keeps = 0;
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); }, noise);
    SearchPlan plan = plan_of(arms_named(8));
    plan.seed = seed;
    plan.time_budget_s = 40 + static_cast<double>(seed % 60);
    keeps += search_on(machine, plan).champion ? 1 : 0;
  }
  std::printf("null spaces: %d kept of %d searches that were short of time\n", keeps, searches);
  EXPECT_LE(keeps, searches * 25 / 1000);
}

TEST(Budget, KeepsAChampionThatWasConfirmedBeforeAStop) {
  SimulatedMachine machine(f1_is_fast);
  SearchPlan plan = plan_of(arms_named(1));
  const int undisturbed = [&] {
    SimulatedMachine other(f1_is_fast);
    (void)search_on(other, plan);
    return other.steps;
  }();
  // The last step of all measures the baseline again.
  machine.after_step = [&] {
    if (machine.steps == undisturbed - 1) machine.stop = true;
  };
  const SearchResult result = search_on(machine, plan);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.champion, "f1");
}

}  // namespace
}  // namespace hone
