#include "measure/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/noise_simulator.h"
#include "measure/robust.h"

namespace hone {
namespace {

constexpr std::size_t rounds_in_a_session = 4;
constexpr std::size_t iterations_in_a_block = 20;

// A session of two arms on a simulated machine: one stream of time that both take turns in, and a
// level of its own for each worker.
RacedSession simulate(const NoiseModel& model, std::uint64_t seed, double effect) {
  Random random(mix64(seed));
  NoiseModel shared = model;
  shared.session_effect = 0;
  const std::size_t blocks = 2 * rounds_in_a_session;
  const auto stream = NoiseSimulator(shared, random.next()).session(blocks * iterations_in_a_block);
  const auto level = [&] {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return model.session_effect * radius * std::cos(2 * std::numbers::pi * random.uniform());
  };
  const double levels[] = {level(), level() + effect};
  const bool first = random.below(2) != 0;
  RacedSession session;
  std::size_t at = 0;
  for (std::size_t round = 0; round < rounds_in_a_session; ++round) {
    std::vector<ArmBlock> made;
    for (std::size_t turn = 0; turn < 2; ++turn) {
      const std::size_t arm = runs_backwards(round, first) ? 1 - turn : turn;
      std::vector<double> logs;
      for (std::size_t i = 0; i < iterations_in_a_block; ++i)
        logs.push_back(std::log(stream[at++]) + levels[arm]);
      made.push_back({.arm = arm, .log_ns = median(std::move(logs))});
    }
    session.rounds.push_back(std::move(made));
  }
  return session;
}

// A race with looks, as it is run on a machine; it ends after `most` sessions.
Judgement race(const NoiseModel& model, std::uint64_t seed, double effect, std::size_t most = 20) {
  VerdictRules rules;
  rules.allows_few_sessions = most < rules.looks.sessions.front();
  std::vector<double> differences;
  Judgement judgement;
  for (const std::size_t look : rules.looks.sessions) {
    if (differences.size() == most) break;
    while (differences.size() < std::min(look, most)) {
      const std::uint64_t session = seed * 1000 + differences.size();
      differences.push_back(difference_in(simulate(model, session, effect), 0, 1)->time);
    }
    judgement = judge(differences, {}, rules);
    if (judgement.verdict != Verdict::inconclusive) break;
  }
  return judgement;
}

struct Machine {
  const char* name;
  NoiseModel model;
};

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = {
      {"quiet", {.noise = 0.01, .spike_rate = 0.01}},
      {"ramp", {.noise = 0.01, .drift = 0.2, .spike_rate = 0.01}},
      {"clock steps", {.noise = 0.01, .clock_step = 0.1, .clock_change_rate = 0.005}},
      {"1 % between sessions", {.noise = 0.01, .spike_rate = 0.01, .session_effect = 0.01}},
  };
  return all;
}

// Seeds are fixed, so this does not flicker.
TEST(Verdicts, CallIdenticalArmsFasterOnceInFortyTimesAtTheMost) {
  constexpr int races = 1200;
  for (const Machine& machine : machines()) {
    int faster = 0;
    int slower = 0;
    for (int i = 0; i < races; ++i) {
      const Judgement judgement = race(machine.model, static_cast<std::uint64_t>(i) + 1, 0);
      faster += judgement.verdict == Verdict::faster ? 1 : 0;
      slower += judgement.verdict == Verdict::slower ? 1 : 0;
    }
    std::printf("%-22s A/A of %d: faster %d, slower %d\n", machine.name, races, faster, slower);
    EXPECT_LE(faster, 30) << machine.name;
    EXPECT_LE(slower, 30) << machine.name;
  }
}

// A time limit ends a race anywhere; its end is a look in the place of the next one.
TEST(Verdicts, CallIdenticalArmsFasterOnceInFortyTimesWhereverTheRaceEnds) {
  constexpr int races = 1200;
  for (const Machine& machine : machines()) {
    for (const std::size_t end : {3U, 4U, 5U, 7U, 11U, 19U}) {
      int faster = 0;
      int slower = 0;
      for (int i = 0; i < races; ++i) {
        const Verdict verdict =
            race(machine.model, static_cast<std::uint64_t>(i) + 1, 0, end).verdict;
        faster += verdict == Verdict::faster ? 1 : 0;
        slower += verdict == Verdict::slower ? 1 : 0;
      }
      EXPECT_LE(faster, 30) << machine.name << ", " << end << " sessions";
      EXPECT_LE(slower, 30) << machine.name << ", " << end << " sessions";
    }
  }
}

TEST(Verdicts, FindTwoPercentInFourOfFiveRaces) {
  constexpr int races = 300;
  for (const Machine& machine : machines()) {
    int found = 0;
    int wrong = 0;
    for (int i = 0; i < races; ++i) {
      const Judgement judgement =
          race(machine.model, static_cast<std::uint64_t>(i) + 50'000, std::log(0.98));
      found += judgement.verdict == Verdict::faster ? 1 : 0;
      wrong += judgement.verdict == Verdict::slower ? 1 : 0;
    }
    std::printf("%-22s 2 %% found in %d of %d, wrong sign %d\n", machine.name, found, races, wrong);
    EXPECT_GE(found, races * 8 / 10) << machine.name;
    EXPECT_EQ(wrong, 0) << machine.name;
  }
}

TEST(Verdicts, MirrorWhenArmsAreSwapped) {
  for (const Machine& machine : machines()) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      std::vector<double> differences;
      std::vector<double> swapped;
      for (std::uint64_t session = 0; session < 9; ++session) {
        const RacedSession seen = simulate(machine.model, seed * 100 + session, std::log(1.01));
        differences.push_back(difference_in(seen, 0, 1)->time);
        swapped.push_back(difference_in(seen, 1, 0)->time);
      }
      const Judgement one = judge(differences, {}, {});
      const Judgement other = judge(swapped, {}, {});
      EXPECT_EQ(one.estimate.theta, -other.estimate.theta);
      EXPECT_EQ(one.estimate.low, -other.estimate.high);
      EXPECT_EQ(one.verdict == Verdict::faster, other.verdict == Verdict::slower);
      EXPECT_EQ(one.verdict == Verdict::slower, other.verdict == Verdict::faster);
      EXPECT_EQ(one.verdict == Verdict::equivalent, other.verdict == Verdict::equivalent);
      EXPECT_DOUBLE_EQ(*one.sign_flip_p, *other.sign_flip_p);
    }
  }
}

RacedSession drifting(double per_block, double scale) {
  RacedSession session;
  int block = 0;
  for (std::size_t round = 0; round < 4; ++round) {
    std::vector<ArmBlock> made;
    for (std::size_t turn = 0; turn < 2; ++turn) {
      const std::size_t arm = runs_backwards(round, false) ? 1 - turn : turn;
      made.push_back({.arm = arm, .log_ns = scale + per_block * block++ + (arm == 1 ? 0.03 : 0)});
    }
    session.rounds.push_back(std::move(made));
  }
  return session;
}

TEST(Verdicts, AreNotMovedByLinearDriftOrByScale) {
  const double still = difference_in(drifting(0, 0), 0, 1)->time;
  EXPECT_NEAR(difference_in(drifting(0.5, 0), 0, 1)->time, still, 1e-12);
  EXPECT_NEAR(difference_in(drifting(0.5, 9), 0, 1)->time, still, 1e-12);
}

TEST(Verdicts, RunInThueMorseOrder) {
  std::string order;
  for (std::size_t round = 0; round < 8; ++round)
    order += runs_backwards(round, false) ? "BA " : "AB ";
  EXPECT_EQ(order, "AB BA BA AB BA AB AB BA ");
}

TEST(SignFlip, CountsEveryFlipAsByHand) {
  // Sums of +-1 +-2 +-3 that are at least 6 away from 0: two of eight.
  const std::vector<double> same = {1, 2, 3};
  EXPECT_DOUBLE_EQ(sign_flip_p(same), 0.25);
  // |1 + 2 - 3| = 0: all of them are at least as far.
  const std::vector<double> mixed = {1, 2, -3};
  EXPECT_DOUBLE_EQ(sign_flip_p(mixed), 1);
  const std::vector<double> six(6, 0.5);
  EXPECT_DOUBLE_EQ(sign_flip_p(six), 2.0 / 64);
}

TEST(Judging, TellsWhatIsWorthKeepingFromWhatIsOnlyThere) {
  const std::vector<double> small = {-0.005, -0.0051, -0.0049, -0.005, -0.0052, -0.0048};
  const Judgement there = judge(small, {}, {});
  EXPECT_EQ(there.verdict, Verdict::faster);
  EXPECT_FALSE(there.is_worth_keeping);
  std::vector<double> large;
  for (const double value : small) large.push_back(value * 10);
  EXPECT_TRUE(judge(large, {}, {}).is_worth_keeping);
}

TEST(Judging, FindsNothingBelowTheNoiseFloor) {
  const std::vector<double> small = {-0.005, -0.0051, -0.0049, -0.005, -0.0052, -0.0048};
  const Judgement judgement = judge(small, {}, {.noise_floor = 0.02});
  EXPECT_EQ(judgement.verdict, Verdict::equivalent);
}

TEST(Judging, DoesNotBelieveOneSessionAgainstTheOthers) {
  const std::vector<double> wild = {-0.9, 0.01, 0.02, 0.01, 0.015, 0.01};
  EXPECT_EQ(judge(wild, {}, {}).verdict, Verdict::inconclusive);
}

TEST(Judging, TakesBackWhatOnlyTheClockDid) {
  const std::vector<double> times = {-0.05, -0.051, -0.049, -0.05, -0.052, -0.048};
  const std::vector<double> cycles = {0.001, -0.001, 0.0005, -0.0005, 0.0008, -0.0008};
  const Judgement judgement = judge(times, cycles, {});
  EXPECT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_EQ(judgement.reason, "clock");
}

TEST(Judging, TakesTheNoiseFloorForTheMarginAtTheLastLookAlone) {
  const std::vector<double> wide = {-0.02, 0.021, -0.019, 0.02, -0.022, 0.018};
  VerdictRules rules{.margin = 0.01, .noise_floor = 0.04};
  EXPECT_EQ(judge(wide, {}, rules).verdict, Verdict::equivalent);
  rules.is_last_look = false;
  const Judgement before = judge(wide, {}, rules);
  EXPECT_EQ(before.verdict, Verdict::inconclusive);
  EXPECT_GT(before.more_sessions.value_or(0), 0U);
  rules.margin = 0.04;
  EXPECT_EQ(judge(wide, {}, rules).verdict, Verdict::equivalent);
}

TEST(Judging, SaysHowManySessionsWouldDecide) {
  const std::vector<double> loose = {-0.02, 0.01, -0.03, 0.015, -0.02, 0.0};
  const Judgement judgement = judge(loose, {}, {});
  ASSERT_EQ(judgement.verdict, Verdict::inconclusive);
  EXPECT_GT(judgement.more_sessions.value_or(0), 5u);
}

TEST(NoiseFloor, GrowsWithWhatIdenticalArmsDiffer) {
  const std::vector<double> quiet = {0.001, -0.001, 0.0005, -0.0008, 0.0009, -0.0004};
  const std::vector<double> loud = {0.01, -0.01, 0.005, -0.008, 0.009, -0.004};
  EXPECT_LT(noise_floor(quiet), 0.002);
  EXPECT_GT(noise_floor(loud), 0.004);
}

// How many sessions there are is no matter of the clock, and none of the floor.
TEST(Verdicts, PromiseNoDecisionOfMoreSessionsWhereTheirNumberIsNotTheReason) {
  const std::vector<double> faster = {-0.01, -0.03, -0.05, -0.05, -0.07, -0.09};
  const std::vector<double> same = {0.01, -0.01, 0.02, -0.02, 0.01, -0.01};
  const Judgement clock = judge(faster, same, {});
  EXPECT_EQ(clock.reason, "clock");
  EXPECT_FALSE(clock.more_sessions);
  const Judgement floor = judge(faster, {}, {.noise_floor = 0.06});
  EXPECT_EQ(floor.reason, "the noise floor is larger");
  EXPECT_FALSE(floor.more_sessions);
}

}  // namespace
}  // namespace hone
