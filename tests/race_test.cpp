// Races on the real ONNX Runtime and the simulated EP: whole workers, a difference that no noise
// can hide, and samples that say the same when they are judged again.

#include "measure/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "ort_library.h"

namespace hone {
namespace {

class Race : public testing::Test {
 protected:
  static RaceArm arm_on_sim(const std::string& name, std::map<std::string, std::string> options) {
    RaceArm arm;
    arm.name = name;
    arm.plan.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
    arm.plan.ort = {ort_library()};
    arm.plan.ep_libraries = {{"hone.virtual", HONE_EP_LIBRARY}};
    arm.plan.target = {.ep = "sim", .device = "npu", .options = std::move(options)};
    return arm;
  }
  static RacePlan plan_of(std::vector<RaceArm> arms) {
    RacePlan plan;
    plan.arms = std::move(arms);
    plan.rounds = 2;
    plan.block_time = std::chrono::milliseconds(5);
    plan.program = HONE_PROGRAM;
    return plan;
  }

  bool is_open_ = false;
};

TEST_F(Race, FindsWhatIsManyTimesSlowerAtTheFirstLook) {
  const RacePlan plan =
      plan_of({arm_on_sim("plain", {}), arm_on_sim("slow", {{"latency_us", "20000"}})});
  const auto comparison = race(plan);
  ASSERT_TRUE(comparison) << comparison.error().what << ": " << comparison.error().cause;
  EXPECT_EQ(comparison->sessions, 6u);
  EXPECT_EQ(comparison->pairs, 12u);
  ASSERT_EQ(comparison->arms.size(), 1u);
  EXPECT_EQ(comparison->arms[0].verdict, Verdict::slower);
  EXPECT_GT(comparison->arms[0].interval.at(0), 1);
  EXPECT_TRUE(comparison->noise_floor);
}

TEST_F(Race, IsJudgedTheSameFromItsSamples) {
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.rules.looks.sessions = {3};
  const Comparison raced = race(plan).value();
  const Json stored = to_document(raced, comparison_schema_version);
  const auto read = from_document<Comparison>(stored, comparison_schema_version).value();
  const Comparison again = judge_looks({"one", "other"}, read.samples, plan.rules);
  EXPECT_EQ(to_json(again.arms.at(0)).dump(), to_json(raced.arms.at(0)).dump());
  EXPECT_EQ(again.noise_floor, raced.noise_floor);
}

TEST_F(Race, GivesNoVerdictWhenItIsStoppedBeforeALook) {
  std::atomic<bool> stop{false};
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.stop = &stop;
  plan.progress = [&](const RaceProgress& seen) { stop = seen.sessions == 2; };
  const Comparison comparison = race(plan).value();
  EXPECT_EQ(comparison.sessions, 2u);
  EXPECT_EQ(comparison.arms.at(0).verdict, Verdict::inconclusive);
  EXPECT_EQ(comparison.notes.size(), 1u);
}

TEST_F(Race, ThatIsStoppedInASessionCountsThoseBeforeIt) {
  std::atomic<bool> stop{false};
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.stop = &stop;
  std::vector<std::string> opened;
  plan.accept = [&](const std::string& name, const WorkerOpened&) {
    opened.push_back(name);
    if (opened.size() == 7) stop = true;  // the first of the third session
    return done();
  };
  EXPECT_EQ(race(plan)->sessions, 2u);
  EXPECT_EQ(opened.size(), 7u) << "it opened another arm";
  opened.resize(6);
  EXPECT_EQ(std::ranges::count(opened, "one"), 4) << "the clone goes by the baseline's name";
}

TEST_F(Race, SaysNothingWhenItIsStoppedBeforeItsFirstRound) {
  std::atomic<bool> stop{true};
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.stop = &stop;
  EXPECT_EQ(race(plan).error().what, "the race was stopped before every arm had run once");
}

TEST_F(Race, SaysHowLongItWouldTakeWhenItsTimeEndsBeforeItsFirstRound) {
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.deadline = steady_now() + std::chrono::hours(1);
  plan.accept = [&](const std::string&, const WorkerOpened&) {
    // The first arm is open and has run; nothing else may begin.
    if (!std::exchange(is_open_, true)) return done();
    plan.deadline = steady_now();
    return done();
  };
  const auto comparison = race(plan);
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().fault, Fault::timeout);
  EXPECT_EQ(comparison.error().what, "the time was over before every arm had run once");
  EXPECT_EQ(comparison.error().hint.find("three sessions, the least for a verdict, take about"), 0U)
      << comparison.error().hint;
}

TEST_F(Race, SaysHowLongItWouldTakeWhenItsTimeEndsBeforeTheFirstArmHasSettled) {
  RacePlan plan =
      plan_of({arm_on_sim("one", {{"hang", "run:2"}}), arm_on_sim("other", {{"hang", "run:2"}})});
  plan.limits.block = std::chrono::milliseconds(300);
  plan.deadline = steady_now() + std::chrono::hours(1);
  plan.accept = [&](const std::string&, const WorkerOpened&) {
    plan.deadline = steady_now();
    return done();
  };
  const auto comparison = race(plan);
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().fault, Fault::timeout);
  EXPECT_EQ(comparison.error().what, "the time was over before every arm had run once");
  EXPECT_EQ(comparison.error().hint.find("three sessions, the least for a verdict, take about"), 0U)
      << comparison.error().hint;
  EXPECT_NE(comparison.error().hint.find("--max-time"), std::string::npos);
}

TEST_F(Race, SaysThatOpeningAloneTakesLongerThanItsTime) {
  RacePlan plan = plan_of(
      {arm_on_sim("one", {{"hang", "compile"}}), arm_on_sim("other", {{"hang", "compile"}})});
  plan.deadline = steady_now() + std::chrono::seconds(1);
  const auto comparison = race(plan);
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().what, "the time was over before every arm had run once");
  EXPECT_EQ(comparison.error().hint.find("three sessions, the least for a verdict, take more than"),
            0U)
      << comparison.error().hint;
}

TEST_F(Race, BeginsNoSessionThatWouldNotEndInTime) {
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {})});
  plan.deadline = steady_now() + std::chrono::hours(1);
  plan.progress = [&](const RaceProgress& seen) {
    if (seen.sessions == 3) plan.deadline = steady_now() + std::chrono::milliseconds(1);
  };
  const Comparison comparison = race(plan).value();
  EXPECT_EQ(comparison.sessions, 3U);
}

TEST_F(Race, EndsWhereAnArmIsNotAccepted) {
  RacePlan plan = plan_of({arm_on_sim("one", {}), arm_on_sim("other", {{"deny", "Conv"}})});
  plan.accept = [&](const std::string& name, const WorkerOpened& opened) -> Status {
    const auto& shares = opened.placement.shares;
    if (shares.front().nodes == opened.placement.total_nodes()) return done();
    return fail(Fault::unsupported, "'" + name + "' runs elsewhere in part");
  };
  EXPECT_EQ(race(plan).error().what, "'other' runs elsewhere in part");
}

TEST_F(Race, EndsWithTheErrorOfAnArmThatCannotRun) {
  const RacePlan plan =
      plan_of({arm_on_sim("plain", {}), arm_on_sim("broken", {{"crash", "run:3"}})});
  const auto comparison = race(plan);
  ASSERT_FALSE(comparison);
  EXPECT_NE(comparison.error().what.find("SIGSEGV"), std::string::npos) << comparison.error().what;
}

}  // namespace
}  // namespace hone
