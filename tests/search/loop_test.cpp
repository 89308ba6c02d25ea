// What the search finds, refuses and reports, on a machine whose truth is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Twenty arms of four dimensions; f3 and f8 are good alone and better together than their product,
// f12 is good alone and spoils both.
SimulatedArm with_interaction(const Recipe& recipe) {
  SimulatedArm arm;
  for (int i = 0; i < 20; ++i) {
    if (has(recipe, "f" + std::to_string(i))) arm.effect += i % 5 == 0 ? 0.05 : 0.003 * (i % 3);
  }
  if (has(recipe, "f3")) arm.effect -= 0.06;
  if (has(recipe, "f8")) arm.effect -= 0.05;
  if (has(recipe, "f12")) arm.effect -= 0.055;
  if (has(recipe, "f3") && has(recipe, "f8")) arm.effect -= 0.03;
  if (has(recipe, "f12") && (has(recipe, "f3") || has(recipe, "f8"))) arm.effect += 0.15;
  return arm;
}

std::vector<Hypothesis> twenty_arms() {
  const char* dimensions[] = {"opset", "optimize", "precision", "session"};
  std::vector<Hypothesis> hypotheses = {hypothesis_of("baseline", "baseline")};
  for (int i = 0; i < 20; ++i)
    hypotheses.push_back(hypothesis_of("f" + std::to_string(i), dimensions[i % 4]));
  // The three that count are of different dimensions.
  hypotheses[4].dimension = "opset";
  hypotheses[9].dimension = "optimize";
  hypotheses[13].dimension = "session";
  return hypotheses;
}

TEST(Search, FindsTheBestOfTwentyWithAnInteraction) {
  int found = 0;
  constexpr int searches = 20;
  std::uint64_t blocks = 0;
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    SimulatedMachine machine(with_interaction);
    SearchPlan plan = plan_of(twenty_arms());
    plan.seed = seed;
    const SearchResult result = search_on(machine, plan);
    found += result.champion == "f3+f8" ? 1 : 0;
    blocks += result.evaluations;
  }
  std::printf("best of 20 found in %d of %d searches, %llu blocks each of 1600 for all\n", found,
              searches, static_cast<unsigned long long>(blocks / searches));
  EXPECT_GE(found, searches * 9 / 10);
}

TEST(Search, ReportsTheConfirmedSpeedAndKeepsTheRaceApart) {
  SimulatedMachine machine(with_interaction);
  const SearchResult result = search_on(machine, plan_of(twenty_arms()));
  ASSERT_EQ(result.champion, "f3+f8");
  const SearchArm& champion = *find_arm(result, "f3+f8");
  EXPECT_EQ(champion.outcome, ArmOutcome::confirmed);
  EXPECT_NEAR(std::log(champion.confirmed->ratio), -0.14 + 0.006, 0.01);
  EXPECT_TRUE(champion.screen_ratio);
  EXPECT_THAT(result.verdict, HasSubstr("f3+f8 ships"));
  EXPECT_FALSE(find_arm(result, "f1")->confirmed);
  EXPECT_EQ(find_arm(result, "f1")->outcome, ArmOutcome::raced_out);
  EXPECT_TRUE(result.noise_floor);
}

TEST(Search, LetsAHundredfoldRegressionGoAfterOneBlock) {
  SimulatedMachine machine([](const Recipe& recipe) {
    return SimulatedArm{.effect = has(recipe, "slow") ? std::log(100.0) : 0.0};
  });
  const SearchResult result =
      search_on(machine, plan_of({hypothesis_of("baseline", "baseline"),
                                  hypothesis_of("slow", "opset"), hypothesis_of("same", "opset")}));
  EXPECT_EQ(find_arm(result, "slow")->outcome, ArmOutcome::futile);
  EXPECT_THAT(find_arm(result, "slow")->reason, HasSubstr("times the baseline's time in 1 round"));
  EXPECT_EQ(machine.blocks_of["slow"], 1);
}

SimulatedMachine machine_with_an_arm_twice_as_slow() {
  return SimulatedMachine([](const Recipe& recipe) {
    return SimulatedArm{.effect = has(recipe, "slow") ? std::log(2.0) : 0.0};
  });
}

TEST(Search, LetsAnArmGoThatIsHalfAsSlowAgainAfterItsFirstSession) {
  SimulatedMachine machine = machine_with_an_arm_twice_as_slow();
  SearchPlan plan =
      plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("slow", "opset")});
  plan.most_hazard_s = 0;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(find_arm(result, "slow")->outcome, ArmOutcome::futile);
  EXPECT_EQ(machine.blocks_of["slow"], 2);
}

TEST(Search, ConfirmsThatTheSlowestArmIsSlowWhereThatTakesLittle) {
  SimulatedMachine machine = machine_with_an_arm_twice_as_slow();
  const SearchResult result = search_on(
      machine, plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("slow", "opset")}));
  const SearchArm* slow = find_arm(result, "slow");
  EXPECT_EQ(slow->outcome, ArmOutcome::confirmed);
  ASSERT_TRUE(slow->confirmed);
  EXPECT_EQ(slow->confirmed->verdict, Verdict::slower);
  EXPECT_TRUE(result.hazard);
  EXPECT_EQ(result.champion, std::nullopt);
}

TEST(Search, NeverMeasuresAnExactNoOp) {
  SimulatedMachine machine([](const Recipe&) { return SimulatedArm{.bytes = "the same"}; });
  Hypothesis same = hypothesis_of("baseline", "baseline");
  same.id = "gelu-fusion";
  same.recipe.optimize["gelu_fusion"] = true;
  const SearchResult result = search_on(machine, plan_of({hypothesis_of("baseline", "baseline"),
                                                          same, hypothesis_of("f1", "session")}));
  EXPECT_EQ(find_arm(result, "gelu-fusion")->outcome, ArmOutcome::no_op);
  EXPECT_EQ(find_arm(result, "gelu-fusion")->same_as, "baseline");
  EXPECT_EQ(find_arm(result, "gelu-fusion")->screen_blocks, 0u);
  // The same bytes in another session are another arm.
  EXPECT_NE(find_arm(result, "f1")->outcome, ArmOutcome::no_op);
}

TEST(Search, ShipsNothingWhoseAccuracyIsBlocked) {
  SimulatedMachine machine([](const Recipe& recipe) {
    return SimulatedArm{.effect = has(recipe, "f1") ? -0.3 : 0.0,
                        .accuracy = CheckVerdict::blocked};
  });
  const SearchResult result = search_on(
      machine, plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("f1", "opset")}));
  EXPECT_FALSE(result.champion);
  EXPECT_EQ(find_arm(result, "f1")->confirmed->verdict, Verdict::faster);
  EXPECT_THAT(result.verdict, HasSubstr("nothing shows that its answers are good enough"));
}

SimulatedArm two_blocked_and_one_that_passes(const Recipe& recipe) {
  SimulatedArm arm;
  if (has(recipe, "blind")) arm = {.effect = -0.7, .accuracy = CheckVerdict::blocked};
  if (has(recipe, "blind2")) arm = {.effect = -0.65, .accuracy = CheckVerdict::blocked};
  if (has(recipe, "right")) arm.effect -= 0.35;
  return arm;
}

TEST(Search, ConfirmsWhatMayShipBeforeWhatCannot) {
  SimulatedMachine machine(two_blocked_and_one_that_passes);
  const SearchResult result = search_on(
      machine, plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("blind", "one"),
                        hypothesis_of("blind2", "one"), hypothesis_of("right", "one")}));
  EXPECT_EQ(result.champion, "right");
  // The place that is left shows how fast the other is.
  EXPECT_TRUE(find_arm(result, "blind")->confirmed);
  EXPECT_FALSE(find_arm(result, "blind2")->confirmed);
}

TEST(Search, MixesNoPrecisionWhoseAccuracyIsBlocked) {
  SimulatedMachine machine(two_blocked_and_one_that_passes);
  Hypothesis blind = hypothesis_of("blind", "precision");
  blind.recipe.quantize.emplace().precisions = {"w8a8"};
  const SearchResult result = search_on(
      machine,
      plan_of({hypothesis_of("baseline", "baseline"), blind, hypothesis_of("right", "session")}));
  EXPECT_EQ(find_arm(result, "blind+right"), nullptr);
  EXPECT_EQ(result.champion, "right");
}

TEST(Search, GivesTheNextAChanceWhenTheFastestFailsItsAccuracy) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm;
    if (has(recipe, "wrong")) arm = {.effect = -0.5, .accuracy = CheckVerdict::fail};
    if (has(recipe, "wrong2")) arm = {.effect = -0.4, .accuracy = CheckVerdict::fail};
    if (has(recipe, "right")) arm.effect -= 0.2;
    return arm;
  });
  const SearchResult result = search_on(
      machine, plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("wrong", "precision"),
                        hypothesis_of("wrong2", "precision"), hypothesis_of("right", "session")}));
  EXPECT_EQ(result.champion, "right");
  EXPECT_EQ(find_arm(result, "wrong")->outcome, ArmOutcome::accuracy_failed);
  EXPECT_FALSE(find_arm(result, "wrong")->confirmed);
}

TEST(Search, RecordsFailuresOfArmsWithTheirClassAndGoesOn) {
  SimulatedMachine machine([](const Recipe& recipe) {
    SimulatedArm arm;
    if (has(recipe, "broken")) arm.build_error = Error{Fault::unsupported, "no such operator"};
    if (has(recipe, "lossy")) arm.build_error = Error{Fault::not_held, "it keeps 2.5 dB"};
    if (has(recipe, "crash")) arm.run_error = Error{Fault::runtime, "the worker died", "signal 11"};
    if (has(recipe, "hang")) arm.run_error = Error{Fault::timeout, "the worker hung"};
    if (has(recipe, "fallback")) arm.run_error = Error{Fault::unsupported, "it runs on the CPU"};
    if (has(recipe, "wrong")) arm.numerics = CheckVerdict::fail;
    if (has(recipe, "unknown")) arm.numerics = CheckVerdict::blocked;
    if (has(recipe, "good")) arm.effect = -0.1;
    return arm;
  });
  std::vector<Hypothesis> hypotheses = {hypothesis_of("baseline", "baseline")};
  for (const char* id :
       {"broken", "lossy", "crash", "hang", "fallback", "wrong", "unknown", "good"})
    hypotheses.push_back(hypothesis_of(id, "opset"));
  const SearchResult result = search_on(machine, plan_of(hypotheses));
  const auto expect = [&](const std::string& id, ArmOutcome outcome, const std::string& fault) {
    EXPECT_EQ(find_arm(result, id)->outcome, outcome) << id;
    EXPECT_EQ(find_arm(result, id)->fault, fault) << id;
    EXPECT_FALSE(find_arm(result, id)->reason.empty()) << id;
  };
  expect("broken", ArmOutcome::build_failed, "unsupported");
  expect("lossy", ArmOutcome::numerics_failed, "not_held");
  expect("crash", ArmOutcome::run_failed, "runtime");
  expect("hang", ArmOutcome::run_failed, "timeout");
  expect("fallback", ArmOutcome::placement_failed, "unsupported");
  expect("wrong", ArmOutcome::numerics_failed, "fail");
  expect("unknown", ArmOutcome::numerics_failed, "blocked");
  EXPECT_EQ(find_arm(result, "crash")->reason, "the worker died: signal 11");
  EXPECT_EQ(result.champion, "good");
}

TEST(Search, FailsOnlyWhereTheBaselineDoes) {
  auto journal = SearchJournal::in_memory();
  const SearchPlan plan = plan_of({hypothesis_of("baseline", "baseline")});
  SimulatedMachine no_build([](const Recipe&) {
    return SimulatedArm{.build_error = Error{Fault::bad_input, "it is no model", "byte 0"}};
  });
  const auto built = search(plan, no_build.tools(), *journal);
  EXPECT_EQ(built.error().what, "the baseline does not build: it is no model");
  EXPECT_EQ(built.error().cause, "byte 0");
  auto another = SearchJournal::in_memory();
  SimulatedMachine no_run([](const Recipe&) {
    return SimulatedArm{.run_error = Error{Fault::runtime, "the worker died"}};
  });
  const auto ran = search(plan, no_run.tools(), *another);
  EXPECT_EQ(ran.error().what, "the baseline does not run: the worker died");
}

TEST(Search, LeavesWhatTheTimeDoesNotSufficeForPending) {
  SimulatedMachine machine(with_interaction);
  SearchPlan plan = plan_of(twenty_arms());
  plan.time_budget_s = 60;
  for (std::size_t i = 0; i < plan.hypotheses.size(); ++i)
    plan.hypotheses[i].priority = plan.hypotheses[i].id == "f3" ? 1 : 0;
  const SearchResult result = search_on(machine, plan);
  const SearchArm& last = *find_arm(result, "f19");
  EXPECT_TRUE(last.outcome == ArmOutcome::pending || last.outcome == ArmOutcome::out_of_time);
  EXPECT_THAT(last.reason, testing::StartsWith("the time was over "));
  // What was kept for the final suffices for it.
  EXPECT_EQ(find_arm(result, "f3")->outcome, ArmOutcome::confirmed);
  EXPECT_LE(machine.now, 60.01);
}

// Only a final that was begun is held to its first look, whatever the time.
TEST(Search, ConfirmsNoHazardWhenTheTimeIsOver) {
  SimulatedMachine machine = machine_with_an_arm_twice_as_slow();
  SearchPlan plan =
      plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("slow", "opset")});
  plan.time_budget_s = 50;
  machine.after_step = [&] {
    if (machine.blocks_of["slow"] > 0) machine.now = 100;
  };
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(find_arm(result, "slow")->outcome, ArmOutcome::futile);
  EXPECT_FALSE(result.hazard);
  EXPECT_EQ(machine.blocks_of["slow"], 2);
}

TEST(Search, CountsTheTimeFromWhereItWasBegun) {
  SimulatedMachine machine(with_interaction);
  SearchPlan plan = plan_of(twenty_arms());
  plan.time_budget_s = 60;
  plan.began_s = -61;
  const SearchResult result = search_on(machine, plan);
  EXPECT_EQ(find_arm(result, "f3")->reason, "the time was over before it was built");
  EXPECT_GT(result.seconds, 60);
  EXPECT_EQ(machine.blocks, 0);
}

TEST(Search, MarksARunWhoseBaselineDrifted) {
  double drift = 0;
  SimulatedMachine machine([&](const Recipe& recipe) {
    return SimulatedArm{.effect = drift + (has(recipe, "f1") ? -0.2 : 0.0)};
  });
  machine.after_step = [&] { drift = machine.blocks > 8 ? 0.3 : 0; };
  const SearchResult result = search_on(
      machine, plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("f1", "opset")}));
  EXPECT_NEAR(*result.drift, std::expm1(0.3), 0.05);
  EXPECT_THAT(result.notes, Contains(HasSubstr("changed between beginning and end")));
  EXPECT_EQ(result.champion, "f1");
}

TEST(Search, RefusesAPlanItCannotFollow) {
  auto journal = SearchJournal::in_memory();
  SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); });
  EXPECT_EQ(search(plan_of({}), machine.tools(), *journal).error().cause, "it has no baseline");
  SearchPlan twice = plan_of({hypothesis_of("baseline", "a"), hypothesis_of("baseline", "a")});
  EXPECT_EQ(search(twice, machine.tools(), *journal).error().cause, "'baseline' is in it twice");
  SearchPlan looks = plan_of({hypothesis_of("baseline", "baseline")});
  looks.looks = {6, 6};
  EXPECT_EQ(search(looks, machine.tools(), *journal).error().cause, "its looks do not ascend");
}

// Sessions that differ by 5 % leave every interval wide: without a rule, all twenty would be held.
TEST(Search, EndsTheFinalOfWhatIsHardlyFasterAtTheSecondLook) {
  NoiseModel noise{.noise = 0.01, .session_effect = 0.05};
  std::size_t ended = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); }, noise);
    SearchPlan plan = plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("same", "d")});
    plan.seed = seed;
    const SearchResult result = search_on(machine, plan);
    if (!result.confirmation) continue;
    const bool is_hardly_faster = result.confirmation->arms.front().ratio > 1 / (1 + plan.margin);
    if (is_hardly_faster) {
      EXPECT_LT(result.confirmation->sessions, plan.looks.back());
    }
    ended += result.confirmation->sessions == plan.looks[1] ? 1 : 0;
  }
  EXPECT_GT(ended, 2U);
}

// One-sided 2.5 %, as for a single comparison: the search adds no false keeps of its own.
TEST(Search, KeepsNothingWhereNothingIsBetter) {
  constexpr int searches = 400;
  NoiseModel noise{.noise = 0.01, .drift = 0.05, .spike_rate = 0.01, .session_effect = 0.01};
  int keeps = 0;
  int faster = 0;
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); }, noise);
    std::vector<Hypothesis> hypotheses = {hypothesis_of("baseline", "baseline")};
    for (int i = 0; i < 8; ++i)
      hypotheses.push_back(hypothesis_of("f" + std::to_string(i), "d" + std::to_string(i % 3)));
    SearchPlan plan = plan_of(std::move(hypotheses));
    plan.seed = seed;
    const SearchResult result = search_on(machine, plan);
    keeps += result.champion ? 1 : 0;
    faster += std::ranges::any_of(result.arms, [](const SearchArm& arm) {
      return arm.confirmed && arm.confirmed->verdict == Verdict::faster;
    });
  }
  std::printf("null spaces: %d kept and %d called faster, of %d searches\n", keeps, faster,
              searches);
  EXPECT_LE(keeps, searches * 25 / 1000);
  EXPECT_LE(faster, searches * 25 / 1000);
}

}  // namespace
}  // namespace hone
