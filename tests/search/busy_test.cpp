// What others do on the machine is not held against an arm.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

using testing::HasSubstr;

// Where time is so short that each arm gets one round, and others use the machine.
TEST(BusyMachine, GivesNoPlaceInTheRaceByOneRound) {
  std::size_t without_a_place = 0;
  for (double budget_s = 4; budget_s <= 64; budget_s *= 1.1) {
    SimulatedMachine machine([](const Recipe& recipe) {
      double effect = 0;
      for (int i = 0; i < 8; ++i)
        if (has(recipe, "o" + std::to_string(i))) effect = -0.05 * i;
      return SimulatedArm{.effect = effect};
    });
    SearchTools tools = machine.tools();
    tools.load = [] { return std::optional(0.84); };
    std::vector<Hypothesis> all = {hypothesis_of("baseline", "baseline")};
    for (int i = 0; i < 8; ++i) all.push_back(hypothesis_of("o" + std::to_string(i), "session"));
    SearchPlan plan = plan_of(all);
    plan.time_budget_s = budget_s;
    auto journal = SearchJournal::in_memory();
    const auto result = search(plan, tools, *journal);
    ASSERT_TRUE(result);
    for (const SearchArm& arm : result->arms) {
      EXPECT_FALSE(arm.reason.starts_with("place ") && arm.screen_blocks == 1)
          << budget_s << " s: " << arm.reason;
      without_a_place += arm.reason.starts_with("one round gives it no place") ? 1 : 0;
    }
  }
  EXPECT_GT(without_a_place, 0U);
}

SearchPlan plan_with_a_fast_arm() {
  return plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("fast", "precision"),
                  hypothesis_of("f1", "opset"), hypothesis_of("f2", "session")});
}

struct Burst {
  double factor = 1;
  int sessions = 0;    // of the arm that it falls on
  double lasts_s = 0;  // by the machine's clock, in each round
};

using Load = std::function<std::optional<double>()>;

SearchResult search_in(SearchJournal& journal, Burst burst, const Load& load,
                       double time_budget_s = 0) {
  SimulatedMachine machine([](const Recipe& recipe) {
    return SimulatedArm{.effect = has(recipe, "fast") ? -0.5 : 0.0};
  });
  SearchTools tools = machine.tools();
  const auto run = tools.run_session;
  int sessions = 0;
  tools.run_session = [&](const SessionOrder& order, const RoundSink& sink) {
    std::size_t fast = order.arms.size();
    for (std::size_t i = 0; i < order.arms.size(); ++i)
      if (has(order.arms[i].recipe, "fast")) fast = i;
    const bool is_hit = fast < order.arms.size() && ++sessions <= burst.sessions;
    if (!is_hit) return run(order, sink);
    return run(order, [&](const std::vector<ArmBlock>& round) {
      machine.now += burst.lasts_s;
      std::vector<ArmBlock> seen = round;
      for (ArmBlock& block : seen)
        if (block.arm == fast) block.log_ns += std::log(burst.factor);
      return sink(seen);
    });
  };
  tools.load = load;
  SearchPlan plan = plan_with_a_fast_arm();
  plan.time_budget_s = time_budget_s;
  auto result = search(plan, tools, journal);
  EXPECT_TRUE(result);
  return std::move(result).value();
}

SearchResult search_with(Burst burst, std::optional<double> load, double time_budget_s = 0) {
  auto journal = SearchJournal::in_memory();
  return search_in(
      *journal, burst, [load] { return load; }, time_budget_s);
}

TEST(BusyMachine, DoesNotLetAnArmGoForOneSlowBlock) {
  const SearchResult result = search_with({.factor = 15, .sessions = 1}, std::nullopt);
  EXPECT_EQ(result.champion, "fast") << find_arm(result, "fast")->reason;
}

TEST(BusyMachine, LetsNothingGoAfterOneRoundHoweverSlowItWas) {
  const SearchResult result = search_with({.factor = 65, .sessions = 1}, 0.84);
  EXPECT_EQ(result.champion, "fast") << find_arm(result, "fast")->reason;
}

TEST(BusyMachine, TriesAgainWhatWasLetGoInTheSessionThatShowedTheLoad) {
  auto journal = SearchJournal::in_memory();
  int asked = 0;  // before and after each session; the baseline's own is the first
  const SearchResult result = search_in(*journal, {.factor = 65, .sessions = 1},
                                        [&] { return std::optional(++asked <= 3 ? 0.01 : 0.84); });
  EXPECT_EQ(result.champion, "fast") << find_arm(result, "fast")->reason;
}

TEST(BusyMachine, IsStillBusyWhereAJournalIsTakenUpAgain) {
  auto journal = SearchJournal::in_memory();
  const Burst burst{.factor = 65, .sessions = 1};
  search_in(*journal, burst, [] { return std::optional(0.84); });
  const SearchResult again = search_in(*journal, {}, [] { return std::optional<double>(); });
  EXPECT_EQ(again.champion, "fast") << find_arm(again, "fast")->reason;
  ASSERT_TRUE(again.load);
  EXPECT_NEAR(*again.load, 0.84, 1e-9);
}

TEST(BusyMachine, SaysOfAnArmThatThereWasNoTimeToAskAgain) {
  const SearchResult result = search_with({.factor = 65, .sessions = 1, .lasts_s = 200}, 0.84, 100);
  const SearchArm& arm = *find_arm(result, "fast");
  EXPECT_EQ(arm.outcome, ArmOutcome::out_of_time);
  EXPECT_THAT(arm.reason, HasSubstr("in 1 round, and no time was left for another"));
}

TEST(BusyMachine, TriesAnArmAgainThatWasSlowWhileOthersUsedTheMachine) {
  const SearchResult result = search_with({.factor = 4, .sessions = 1}, 0.6);
  EXPECT_EQ(result.champion, "fast") << find_arm(result, "fast")->reason;
}

TEST(BusyMachine, LetsAnArmGoThatIsSlowEveryTimeAndSaysHowOften) {
  const SearchResult result = search_with({.factor = 20, .sessions = 9}, 0.6);
  const SearchArm& arm = *find_arm(result, "fast");
  EXPECT_EQ(arm.outcome, ArmOutcome::futile);
  EXPECT_THAT(arm.reason, HasSubstr("times the baseline's time in 2 rounds"));
}

TEST(BusyMachine, IsNamedInTheVerdictAndTheResult) {
  const SearchResult busy = search_with({}, 0.45);
  EXPECT_THAT(busy.verdict, HasSubstr("the machine was busy: others used 45 % of it"));
  ASSERT_TRUE(busy.load);
  EXPECT_NEAR(*busy.load, 0.45, 1e-9);
  const SearchResult quiet = search_with({}, 0.02);
  EXPECT_THAT(quiet.verdict, testing::Not(HasSubstr("busy")));
}

// A third of the truth is noise here: the best of twelve is still found.
TEST(BusyMachine, KeepsArmsInTheRaceThatNoiseMayHavePutBehind) {
  int found = 0;
  constexpr int searches = 40;
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    NoiseModel noise{.noise = 0.3, .spike_rate = 0.05, .session_effect = 0.05};
    SimulatedMachine machine(
        [](const Recipe& recipe) {
          return SimulatedArm{.effect = has(recipe, "f1") ? -0.35 : 0.0};
        },
        noise);
    std::vector<Hypothesis> hypotheses = {hypothesis_of("baseline", "baseline")};
    for (int i = 1; i <= 12; ++i) hypotheses.push_back(hypothesis_of("f" + std::to_string(i), "d"));
    SearchPlan plan = plan_of(hypotheses);
    plan.seed = seed;
    const SearchResult result = search_on(machine, plan);
    const SearchArm& arm = *find_arm(result, "f1");
    found += arm.outcome == ArmOutcome::confirmed ? 1 : 0;
  }
  std::printf("the best of 12 was confirmed in %d of %d noisy searches\n", found, searches);
  EXPECT_GE(found, searches * 9 / 10);
}

}  // namespace
}  // namespace hone
