#include "flow/search/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

Hypothesis hypothesis(const std::string& id) {
  Hypothesis made;
  made.id = id;
  made.recipe.session.options = {{"arm", id}};
  return made;
}

std::string arm_of_recipe(const Recipe& recipe) { return recipe.session.options.at("arm"); }

// A machine on which "fast" takes half of the baseline's time and "broken" does not build.
class AMachine : public testing::Test {
 protected:
  AMachine() {
    site_.model = "models/net.onnx";
    site_.folder = "/search";
    tools_.build = [](const Recipe& recipe, double) -> Result<BuiltModel> {
      const std::string arm = arm_of_recipe(recipe);
      if (arm == "broken") return fail(Fault::unsupported, "it does not build");
      BuiltModel built;
      built.model = "/search/arms/" + arm + "/model.onnx";
      built.sha256 = arm;
      return built;
    };
    const auto pass = [](const BuiltModel&, const Recipe&, double) -> Result<AccuracyCheck> {
      AccuracyCheck check;
      check.verdict = CheckVerdict::pass;
      return check;
    };
    tools_.check_numerics = tools_.check_accuracy = pass;
    tools_.run_session = [](const SessionOrder& order, const RoundSink&) -> Result<RacedSession> {
      RacedSession session;
      for (std::size_t round = 0; round < order.rounds; ++round) {
        std::vector<ArmBlock>& blocks = session.rounds.emplace_back();
        for (std::size_t arm = 0; arm < order.arms.size(); ++arm) {
          const bool is_fast = arm_of_recipe(order.arms[arm].recipe) == "fast";
          ArmBlock block;
          block.arm = arm;
          block.log_ns = std::log(is_fast ? 1e6 : 2e6);
          blocks.push_back(block);
        }
      }
      return session;
    };
  }
  Result<RecordedSpace> record(const std::vector<std::string>& ids) const {
    RecordPlan plan{.hypotheses = {}, .sessions = 3};
    for (const std::string& id : ids) plan.hypotheses.push_back(hypothesis(id));
    return record_space(site_, tools_, plan, {});
  }

  SearchSite site_;
  SearchTools tools_;
};

TEST_F(AMachine, IsRecordedAsDifferencesFromItsBaseline) {
  const auto space = record({"baseline", "fast"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_EQ(space->model, "net.onnx");
  EXPECT_NEAR(space->baseline_ms, 2, 1e-9);
  const double half = std::round(std::log(0.5) * 1e6) / 1e6;
  EXPECT_THAT(space->arms[1].sessions, SizeIs(3));
  EXPECT_THAT(space->arms[1].sessions, Each(ElementsAre(half, half)));
  EXPECT_THAT(space->arms[0].sessions, Each(ElementsAre(0, 0))) << "its clone";
}

TEST_F(AMachine, IsRecordedWithTheTimesOfEachArm) {
  const auto space = record({"baseline", "fast"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_THAT(space->arms[0].session_ms, Each(DoubleNear(2, 1e-6)));
  EXPECT_THAT(space->arms[1].session_ms, ElementsAre(1, 1, 1));
}

TEST_F(AMachine, RecordsWhatDoesNotRunAndGoesOnWithTheOthers) {
  const auto run = tools_.run_session;
  tools_.run_session = [run](const SessionOrder& order,
                             const RoundSink& sink) -> Result<RacedSession> {
    for (const SearchArmRun& arm : order.arms)
      if (arm_of_recipe(arm.recipe) == "crashing") return fail(Fault::runtime, "it crashed");
    return run(order, sink);
  };
  const auto space = record({"baseline", "crashing", "fast"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_EQ(space->arms[1].error->what, "it crashed");
  EXPECT_THAT(space->arms[1].sessions, SizeIs(0));
  EXPECT_THAT(space->arms[2].sessions, SizeIs(3));
}

// A session that is ended for want of time has no rounds.
TEST_F(AMachine, RecordsAsManySessionsOfEveryArmAsThereIsTimeFor) {
  const auto run = tools_.run_session;
  int held = 0;
  tools_.run_session = [run, &held](const SessionOrder& order, const RoundSink& sink) {
    return ++held > 5 ? Result<RacedSession>(RacedSession()) : run(order, sink);
  };
  const auto space = record({"baseline", "a", "b", "c", "d", "fast"});  // two groups
  ASSERT_TRUE(space) << space.error().what;
  for (std::size_t i = 1; i < space->arms.size(); ++i)
    EXPECT_THAT(space->arms[i].sessions, SizeIs(2));
}

// Its clock stands still but for sessions, of which each takes four seconds of the site's time.
TEST_F(AMachine, RecordsTheFirstArmsWhereThereIsNoTimeForAll) {
  const auto run = tools_.run_session;
  double now = 0;
  tools_.seconds = [&now] { return now; };
  tools_.run_session = [run, &now](const SessionOrder& order, const RoundSink& sink) {
    now += 4;
    return run(order, sink);
  };
  site_.deadline = steady_now() + std::chrono::seconds(20);
  const auto space = record({"baseline", "fast", "b", "c", "d", "left-out", "left-out-too"});
  ASSERT_TRUE(space) << space.error().what;
  ASSERT_THAT(space->arms, SizeIs(5));
  EXPECT_THAT(space->arms.back().sessions, SizeIs(3));
}

TEST_F(AMachine, BuildsForHalfOfItsTime) {
  const auto build = tools_.build;
  tools_.build = [build, this](const Recipe& recipe, double limit_s) {
    if (arm_of_recipe(recipe) == "slow-to-build")
      site_.deadline = steady_now() + std::chrono::seconds(40);  // of 100
    return build(recipe, limit_s);
  };
  site_.deadline = steady_now() + std::chrono::seconds(100);
  const auto space = record({"baseline", "slow-to-build", "left-out"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_THAT(space->arms, SizeIs(2));
}

TEST_F(AMachine, LeavesNoPathOfItselfInTheRecord) {
  const auto space = record({"baseline", "fast"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_EQ(space->arms[1].built->model, "arms/fast/model.onnx");
}

TEST_F(AMachine, RecordsWhatDoesNotBuildWithItsReason) {
  const auto space = record({"baseline", "broken", "fast"});
  ASSERT_TRUE(space) << space.error().what;
  EXPECT_EQ(space->arms[1].error->what, "it does not build");
  EXPECT_THAT(space->arms[1].sessions, SizeIs(0));
  EXPECT_THAT(space->arms[2].sessions, SizeIs(3));
}

TEST_F(AMachine, ThatDoesNotRunTheBaselineHasNoRecord) {
  const auto space = record({"broken", "fast"});
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().what, "the baseline does not run");
}

}  // namespace
}  // namespace hone
