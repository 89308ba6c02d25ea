// The searcher on recorded spaces: what it finds for how much work.

#include "search/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

SearchJudge judge() {
  SimulatedMachine machine([](const Recipe&) { return SimulatedArm(); });
  return machine.tools().judge;
}

RecordedArm record(const Hypothesis& hypothesis, double effect, std::uint64_t seed) {
  RecordedArm arm;
  arm.hypothesis = hypothesis;
  arm.built.emplace().sha256 = sha256(hypothesis.id).hex();
  arm.numerics.verdict = CheckVerdict::pass;
  arm.accuracy.verdict = CheckVerdict::pass;
  NoiseSimulator noise({.noise = 0.01, .session_effect = 0.005}, seed);
  for (int session = 0; session < 20; ++session) {
    std::vector<double> rounds;
    for (const double milliseconds : noise.session(4, effect))
      rounds.push_back(std::log(milliseconds));
    arm.sessions.push_back(std::move(rounds));
  }
  return arm;
}

RecordedSpace twelve_arms() {
  RecordedSpace space;
  space.model_sha256 = "0123";
  space.environment = "recorded";
  space.baseline_ms = 5;
  space.arms.push_back(record(hypothesis_of("baseline", "baseline"), 0, 1));
  for (int i = 1; i <= 11; ++i) {
    const double effect = i == 7 ? -0.08 : i == 4 ? -0.2 : 0.01 * (i % 4);
    space.arms.push_back(record(hypothesis_of("f" + std::to_string(i), "one"), effect,
                                100 + static_cast<std::uint64_t>(i)));
  }
  // The fastest may not ship.
  space.arms[4].accuracy.verdict = CheckVerdict::fail;
  return space;
}

ReplayScore replay(const RecordedSpace& space, std::uint64_t seed) {
  auto journal = SearchJournal::in_memory();
  const SearchPlan plan = replay_plan(space, seed);
  const auto result = search(plan, replay_tools(space, judge()), *journal);
  EXPECT_TRUE(result) << result.error().what;
  return replay_score(space, plan, *result);
}

TEST(Replay, FindsTheBestThatMayShipForAFractionOfTheWork) {
  const RecordedSpace space = twelve_arms();
  ASSERT_TRUE(check_space(space));
  double share = 0;
  constexpr int searches = 20;
  for (std::uint64_t seed = 0; seed < searches; ++seed) {
    const ReplayScore score = replay(space, seed);
    EXPECT_NEAR(score.regret, 1, 1e-12) << seed;
    EXPECT_FALSE(score.is_false_keep);
    share += score.evaluations_share / searches;
  }
  std::printf("replay: the best of 11 for %.0f %% of the blocks\n", share * 100);
  EXPECT_LT(share, 0.5);
}

TEST(Replay, KeepsNothingOfANullSpace) {
  const RecordedSpace space = null_space(twelve_arms(), 10);
  int keeps = 0;
  constexpr int searches = 100;
  for (std::uint64_t seed = 0; seed < searches; ++seed) keeps += replay(space, seed).is_false_keep;
  std::printf("replay: %d false keeps in %d null spaces\n", keeps, searches);
  EXPECT_LE(keeps, 2);
}

TEST(Replay, IsTheSameForTheSameSeed) {
  const RecordedSpace space = twelve_arms();
  EXPECT_EQ(replay(space, 3).evaluations_share, replay(space, 3).evaluations_share);
}

TEST(Replay, SurvivesAFileAndRefusesASpaceThatIsNone) {
  const RecordedSpace space = twelve_arms();
  const auto read = from_document<RecordedSpace>(to_document(space, replay_schema_version),
                                                 replay_schema_version);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(to_json(*read).canonical(), to_json(space).canonical());
  EXPECT_EQ(check_space({}).error().cause, "it has no baseline");
  RecordedSpace empty = space;
  empty.arms[2].sessions.clear();
  EXPECT_EQ(check_space(empty).error().cause, "'f2' has no session");
  RecordedSpace holes = space;
  holes.arms[2].sessions[3].clear();
  EXPECT_EQ(check_space(holes).error().cause, "'f2' has a session without a round");
}

TEST(Replay, ScoresAChampionThatIsNotFasterAsAFalseKeep) {
  const RecordedSpace space = twelve_arms();
  SearchResult result;
  result.champion = "f3";
  const ReplayScore score = replay_score(space, replay_plan(space, 0), result);
  EXPECT_TRUE(score.is_false_keep);
  EXPECT_GT(score.regret, 1.08);
}

}  // namespace
}  // namespace hone
