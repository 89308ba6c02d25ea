#include <gtest/gtest.h>

#include <cmath>

#include "measure/race.h"

namespace hone {
namespace {

const std::vector<std::string> names = {"base", "slow", "same"};

// Sessions of the baseline, an arm that takes three times as long, one that wavers about it, and
// the clone; `slow_again` is what the slow one takes from session `from` on.
std::vector<RacedSession> sessions_of(std::size_t count, double slow_again = 3,
                                      std::size_t from = 100) {
  std::vector<RacedSession> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    const double wave = 0.02 * std::sin(static_cast<double>(i) * 2.4);
    const double wide = 0.4 * std::sin(static_cast<double>(i) * 2.4 + 1);
    const double slow = std::log(i < from ? 3.0 : slow_again) + wave;
    sessions.push_back({.rounds = {{{.arm = 0, .log_ns = 14},
                                    {.arm = 1, .log_ns = 14 + slow},
                                    {.arm = 2, .log_ns = 14 + wide},
                                    {.arm = 3, .log_ns = 14 + wave / 4}}}});
  }
  return sessions;
}

TEST(RaceLooks, AVerdictStandsWhenTheRaceEndsBetweenTwoLooks) {
  const Comparison comparison = judge_looks(names, sessions_of(7), {});
  const ComparedArm& slow = comparison.arms.at(0);
  EXPECT_EQ(slow.verdict, Verdict::slower);
  EXPECT_EQ(slow.decided_at, 6U);
  EXPECT_FALSE(slow.is_cut);
  EXPECT_EQ(comparison.verdict, Verdict::slower);
  EXPECT_EQ(comparison.sessions, 7U);
}

TEST(RaceLooks, AnArmWithoutAVerdictSaysThatItWasStopped) {
  const ComparedArm same = judge_looks(names, sessions_of(7), {}).arms.at(1);
  EXPECT_EQ(same.verdict, Verdict::inconclusive);
  EXPECT_TRUE(same.is_cut);
  EXPECT_FALSE(same.decided_at);
}

TEST(RaceLooks, AVerdictIsTheOneOfTheLookThatReachedIt) {
  // From the seventh session on the slow arm is a fast one: six have said what they have said.
  const ComparedArm slow = judge_looks(names, sessions_of(20, 0.3, 6), {}).arms.at(0);
  EXPECT_EQ(slow.verdict, Verdict::slower);
  EXPECT_EQ(slow.decided_at, 6U);
  EXPECT_GT(slow.interval.at(0), 2);
  EXPECT_EQ(judge_race(names, sessions_of(20, 0.3, 6), {}).arms.at(0).verdict,
            Verdict::inconclusive);
}

TEST(RaceLooks, TheEndOfARaceIsALookToo) {
  const ComparedArm slow = judge_looks(names, sessions_of(4), {}).arms.at(0);
  EXPECT_EQ(slow.verdict, Verdict::slower);
  EXPECT_EQ(slow.decided_at, 4U);
  EXPECT_EQ(judge_race(names, sessions_of(4), {}).arms.at(0).reason,
            "too few sessions for a verdict");
}

TEST(RaceLooks, TwoSessionsAreTooFewForAVerdict) {
  const ComparedArm slow = judge_looks(names, sessions_of(2), {}).arms.at(0);
  EXPECT_EQ(slow.verdict, Verdict::inconclusive);
  EXPECT_EQ(slow.reason, "too few sessions for a verdict");
  EXPECT_NEAR(slow.ratio, 3, 0.1);
}

TEST(RaceLooks, OneSessionHasARatioAndNoInterval) {
  const ComparedArm slow = judge_looks(names, sessions_of(1), {}).arms.at(0);
  EXPECT_EQ(slow.verdict, Verdict::inconclusive);
  EXPECT_EQ(slow.reason, "one session is too few for a verdict");
  EXPECT_NEAR(slow.ratio, 3, 0.1);
  EXPECT_TRUE(slow.interval.empty());
}

// Of an arm and a clone that both waver by some 10 % about the baseline.
std::vector<RacedSession> noisy_sessions(std::size_t count) {
  std::vector<RacedSession> sessions;
  for (std::size_t i = 0; i < count; ++i) {
    const double way = i % 2 == 0 ? 1 : -1;
    sessions.push_back({.rounds = {{{.arm = 0, .log_ns = 14},
                                    {.arm = 1, .log_ns = 14 + 0.06 * way},
                                    {.arm = 2, .log_ns = 14 + (i % 4 < 2 ? 0.2 : -0.2)}}}});
  }
  return sessions;
}

TEST(RaceLooks, ARaceThatWasStoppedIsNotEquivalentForItsNoise) {
  const Comparison cut = judge_looks({"base", "same"}, noisy_sessions(6), {});
  const ComparedArm& arm = cut.arms.at(0);
  ASSERT_GT(cut.noise_floor.value_or(0), arm.interval.at(1) - 1) << "the floor would cover it";
  EXPECT_EQ(arm.verdict, Verdict::inconclusive);
  EXPECT_TRUE(arm.is_cut);
  EXPECT_EQ(cut.verdict, Verdict::inconclusive);
  const Comparison whole = judge_looks({"base", "same"}, noisy_sessions(20), {});
  EXPECT_EQ(whole.arms.at(0).verdict, Verdict::equivalent);
  EXPECT_EQ(whole.arms.at(0).decided_at, 20U);
}

TEST(RaceLooks, ARaceThatWentToItsLastLookWasNotStopped) {
  EXPECT_FALSE(judge_looks(names, sessions_of(20), {}).arms.at(1).is_cut);
}

TEST(RaceClocks, OfAGpuThatMovedAreANoteOfTheVerdict) {
  std::vector<RacedSession> sessions = sessions_of(6);
  for (RacedSession& session : sessions)
    for (ArmBlock& block : session.rounds.front()) block.gpu_mhz = 1980;
  EXPECT_TRUE(judge_looks(names, sessions, {}).notes.empty());
  sessions[4].rounds.front()[1].gpu_mhz = 1200;
  const std::vector<std::string> notes = judge_looks(names, sessions, {}).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find("the GPU's clock moved between 1200 and 1980 MHz"), 0U) << notes[0];
}

TEST(RaceClocks, ThatNobodyKnowsAreNoNote) {
  EXPECT_TRUE(judge_looks(names, sessions_of(6), {}).notes.empty());
  std::vector<RacedSession> sessions = sessions_of(6);
  sessions[0].rounds.front()[0].gpu_mhz = 0;
  sessions[1].rounds.front()[0].gpu_mhz = 1900;
  EXPECT_TRUE(judge_looks(names, sessions, {}).notes.empty());
}

}  // namespace
}  // namespace hone
