// A search that is stopped or killed goes on as if nothing had been.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/simulated_machine.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;

SimulatedArm truth(const Recipe& recipe) {
  SimulatedArm arm;
  if (has(recipe, "a")) arm.effect -= 0.10;
  if (has(recipe, "b")) arm.effect -= 0.08;
  if (has(recipe, "c")) arm.effect += 0.05;
  if (has(recipe, "slow")) arm.effect += std::log(50.0);
  if (has(recipe, "wrong")) arm.numerics = CheckVerdict::fail;
  return arm;
}

SearchPlan plan() {
  return plan_of({hypothesis_of("baseline", "baseline"), hypothesis_of("a", "opset"),
                  hypothesis_of("b", "session"), hypothesis_of("c", "opset"),
                  hypothesis_of("slow", "opset"), hypothesis_of("wrong", "precision")});
}

// A journal in a file, for what must outlive a process.
class Resume : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "hone_search_resume_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Path journal_file(const std::string& name) const { return Path(folder_) / name; }

  Result<SearchResult> search_with(SimulatedMachine& machine, const SearchPlan& the_plan,
                                   const std::string& journal_name) {
    auto journal = SearchJournal::open(journal_file(journal_name));
    if (!journal) return fail(journal.error());
    return search(the_plan, machine.tools(), *journal);
  }

 private:
  std::string folder_;
};

std::string without_time(SearchResult result) {
  result.seconds = 0;
  return to_json(result).dump();
}

TEST_F(Resume, AfterAStopAtAnyStepEndsAsIfUndisturbedAndRepeatsNothing) {
  SimulatedMachine undisturbed(truth);
  const auto whole = search_with(undisturbed, plan(), "whole");
  ASSERT_TRUE(whole) << whole.error().what;
  ASSERT_EQ(whole->champion, "a+b");
  for (int stop_at = 1; stop_at <= undisturbed.steps; ++stop_at) {
    const std::string name = "stop" + std::to_string(stop_at);
    SimulatedMachine machine(truth);
    machine.after_step = [&] {
      if (machine.steps == stop_at) machine.stop = true;
    };
    const auto first = search_with(machine, plan(), name);
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_EQ(machine.steps, stop_at) << "a step was begun after the stop";
    EXPECT_TRUE(first->stopped) << stop_at;
    // A confirmation that is complete is known, whatever comes after it.
    const SearchArm* best = find_arm(*first, "a+b");
    const bool is_known = best != nullptr && best->confirmed && !best->confirmed->is_cut;
    EXPECT_EQ(first->champion.has_value(), is_known) << stop_at;
    EXPECT_THAT(first->verdict, HasSubstr(is_known ? "a+b ships" : "goes on from here"));
    machine.stop = false;
    machine.after_step = [] {};
    const auto second = search_with(machine, plan(), name);
    ASSERT_TRUE(second) << second.error().what;
    EXPECT_EQ(without_time(*second), without_time(*whole)) << "stopped at step " << stop_at;
    EXPECT_EQ(machine.calls, undisturbed.calls) << "stopped at step " << stop_at;
  }
}

// kill -9 is simulated by a session that never comes back from its round: whatever was stored is
// all there is.
TEST_F(Resume, AfterAKillInAnyRoundLosesThatRoundAlone) {
  struct Killed {};
  SimulatedMachine undisturbed(truth);
  const auto whole = search_with(undisturbed, plan(), "whole");
  ASSERT_TRUE(whole);
  int rounds = 0;
  undisturbed.before_round = [&](std::size_t) { return ++rounds, done(); };
  ASSERT_TRUE(search_with(undisturbed, plan(), "counted"));
  ASSERT_GT(rounds, 30);
  for (int kill_at = 1; kill_at <= rounds; kill_at += 3) {
    const std::string name = "kill" + std::to_string(kill_at);
    SimulatedMachine machine(truth);
    int seen = 0;
    machine.before_round = [&](std::size_t) -> Status {
      if (++seen == kill_at) throw Killed();
      return done();
    };
    EXPECT_THROW((void)search_with(machine, plan(), name), Killed);
    const int blocks_before = machine.blocks;
    const auto second = search_with(machine, plan(), name);
    ASSERT_TRUE(second) << second.error().what;
    EXPECT_EQ(second->champion, whole->champion) << "killed in round " << kill_at;
    // Every block that was run before is one of those that the result rests on.
    EXPECT_EQ(static_cast<std::uint64_t>(machine.blocks), second->evaluations) << blocks_before;
  }
}

TEST_F(Resume, MeasuresAgainInAnotherEnvironmentAndSaysSo) {
  SimulatedMachine machine(truth);
  ASSERT_TRUE(search_with(machine, plan(), "journal"));
  const int before = machine.blocks;
  SearchPlan elsewhere = plan();
  elsewhere.environment = "with another driver";
  const auto other = search_with(machine, elsewhere, "journal");
  ASSERT_TRUE(other);
  EXPECT_GE(machine.blocks, 2 * before - 1);
  EXPECT_THAT(other->notes,
              Contains("the journal has measurements of this model in 1 other environment: they "
                       "are kept and not used"));
  const int after = machine.blocks;
  ASSERT_TRUE(search_with(machine, plan(), "journal"));
  EXPECT_EQ(machine.blocks, after) << "the first environment's measurements are gone";
}

TEST_F(Resume, DoesNotDependOnTheOrderOfHypotheses) {
  SimulatedMachine machine(truth);
  ASSERT_TRUE(search_with(machine, plan(), "journal"));
  SearchPlan turned = plan();
  std::reverse(turned.hypotheses.begin() + 1, turned.hypotheses.end());
  ASSERT_TRUE(search_with(machine, turned, "journal"));
  for (const auto& [step, count] : machine.calls) {
    if (!step.starts_with("session ")) {
      EXPECT_EQ(count, 1) << step;
    }
  }
}

TEST_F(Resume, TriesAgainWhatTheMachineWasAtFaultFor) {
  bool is_full = true;
  SimulatedMachine machine([&](const Recipe& recipe) {
    SimulatedArm arm = truth(recipe);
    if (has(recipe, "a") && is_full) arm.build_error = Error{Fault::io, "the disk is full"};
    return arm;
  });
  const auto first = search_with(machine, plan(), "journal");
  ASSERT_TRUE(first);
  EXPECT_EQ(find_arm(*first, "a")->outcome, ArmOutcome::build_failed);
  is_full = false;
  const auto second = search_with(machine, plan(), "journal");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->champion, "a+b");
}

// What a looser gate let pass is not what a stricter one lets pass.
TEST_F(Resume, JudgesAgainWhatIsHeldToAnotherGate) {
  CheckVerdict verdict = CheckVerdict::pass;
  SimulatedMachine machine([&](const Recipe& recipe) {
    SimulatedArm arm = truth(recipe);
    arm.accuracy = verdict;
    return arm;
  });
  SearchPlan loose = plan();
  loose.gate = "may lose a half";
  ASSERT_EQ(search_with(machine, loose, "journal")->champion, "a+b");
  const int blocks = machine.blocks;
  verdict = CheckVerdict::fail;
  SearchPlan strict = plan();
  strict.gate = "may lose nothing";
  EXPECT_EQ(search_with(machine, strict, "journal")->champion, std::nullopt);
  EXPECT_EQ(search_with(machine, loose, "journal")->champion, "a+b") << "the first is forgotten";
  EXPECT_EQ(machine.blocks, blocks) << "a gate changes no time";
}

TEST_F(Resume, MeasuresAndChecksAgainOnOtherInputs) {
  CheckVerdict numerics = CheckVerdict::pass;
  SimulatedMachine machine([&](const Recipe& recipe) {
    SimulatedArm arm = truth(recipe);
    if (has(recipe, "a")) arm.numerics = numerics;
    return arm;
  });
  SearchPlan small = plan();
  small.conditions = "x=1x3x48x192";
  ASSERT_EQ(search_with(machine, small, "journal")->champion, "a+b");
  const int blocks = machine.blocks;
  numerics = CheckVerdict::fail;
  SearchPlan large = plan();
  large.conditions = "x=8x3x48x192";
  const auto other = search_with(machine, large, "journal");
  EXPECT_EQ(find_arm(*other, "a")->outcome, ArmOutcome::numerics_failed);
  EXPECT_EQ(static_cast<std::uint64_t>(machine.blocks - blocks), other->evaluations)
      << "a time of other inputs was used";
}

TEST_F(Resume, ChecksAgainWhatWasBuiltAgainWithOtherBytes) {
  std::string bytes = "first";
  SimulatedMachine machine([&](const Recipe& recipe) {
    SimulatedArm arm = truth(recipe);
    if (has(recipe, "a") && !has(recipe, "b")) arm.bytes = bytes;
    return arm;
  });
  ASSERT_TRUE(search_with(machine, plan(), "journal"));
  bytes = "second";
  SearchTools tools = machine.tools();
  tools.still_there = [](const BuiltModel& built) { return built.model != "a.onnx"; };
  auto journal = SearchJournal::open(journal_file("journal"));
  ASSERT_TRUE(search(plan(), tools, *journal));
  EXPECT_EQ(machine.calls["numerics a"], 2);
  EXPECT_EQ(machine.calls["numerics b"], 1);
}

TEST_F(Resume, TriesAgainWhatALongerLimitMayLetEnd) {
  SimulatedMachine machine([&](const Recipe& recipe) {
    SimulatedArm arm = truth(recipe);
    if (has(recipe, "c")) arm.build_error = Error{Fault::timeout, "stopped after 10.0 s"};
    return arm;
  });
  SearchPlan limited = plan();
  limited.step_limit_s = 10;
  ASSERT_TRUE(search_with(machine, limited, "journal"));
  ASSERT_TRUE(search_with(machine, limited, "journal"));
  EXPECT_EQ(machine.calls["build c"], 1) << "the same limit ends it again";
  limited.step_limit_s = 20;
  ASSERT_TRUE(search_with(machine, limited, "journal"));
  EXPECT_EQ(machine.calls["build c"], 2);
  limited.step_limit_s = 15;
  ASSERT_TRUE(search_with(machine, limited, "journal"));
  EXPECT_EQ(machine.calls["build c"], 2) << "a shorter limit ends it all the more";
}

TEST_F(Resume, BuildsAgainWhatIsNoLongerThere) {
  SimulatedMachine machine(truth);
  ASSERT_TRUE(search_with(machine, plan(), "journal"));
  SearchTools tools = machine.tools();
  tools.still_there = [](const BuiltModel& built) { return built.model != "a.onnx"; };
  auto journal = SearchJournal::open(journal_file("journal"));
  ASSERT_TRUE(journal);
  const int before = machine.blocks;
  const auto again = search(plan(), tools, *journal);
  ASSERT_TRUE(again);
  EXPECT_EQ(machine.calls["build a"], 2);
  EXPECT_EQ(machine.calls["build b"], 1);
  EXPECT_EQ(machine.blocks, before);
}

}  // namespace
}  // namespace hone
