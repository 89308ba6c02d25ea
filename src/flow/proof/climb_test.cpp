#include "flow/proof/climb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/eval.h"
#include "flow/proof/worker_for_tests.h"
#include "record/eval.h"
#include "record/perf.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AClimb : public testing::Test {
 protected:
  AClimb() {
    site_.file.source.file = "reader.onnx";
    site_.file.task = "text-recognition";
    site_.file.data = DataRecipe{.kind = "text-lines", .count = 4, .seed = 1};
    site_.file.max_drop = 1e-7;
    site_.model = folder_.path() / "came.onnx";
    site_.work = folder_.path() / "work";
    built_.model = site_.work / "build/model.onnx";
  }

  TierProof climbed(Tier tier, const WorkerOfATest& worker) {
    site_.host.program = worker.program().string();
    return climb(tier, site_, built_);
  }

  static CompareReport same_answers() {
    CompareReport report;
    report.samples = 32;
    OutputComparison output;
    output.output = "y";
    output.samples = 32;
    output.cosine = Estimate{.value = 0.99990000000000001, .low = 0.9998, .high = 1};
    report.outputs = {output};
    return report;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("climb").value();
  ClimbSite site_;
  BuiltHere built_;
};

TEST_F(AClimb, PassesByTheFiguresOfTheJobAndTellsHowToRepeatIt) {
  const WorkerOfATest worker({answered(same_answers())});
  const TierProof tier = climbed(Tier::l2, worker);
  EXPECT_EQ(tier.verdict, TierVerdict::pass) << tier.reason;
  EXPECT_EQ(tier.parity->outputs.front().cosine->value, 0.99990000000000001);
  EXPECT_THAT(tier.commands, ElementsAre("hone eval work/build/model.onnx --mode compare "
                                         "--reference reader.onnx --samples 32 --ep cpu "
                                         "--device auto"));
  EXPECT_EQ(*worker.asked(0).find("reference")->find("model")->as_string(), site_.model.string());
}

TEST_F(AClimb, AsksForTheDropOfTheRecipeBitForBit) {
  EvalReport report;
  report.task = site_.file.task;
  report.samples = 4;
  report.metrics = {{.name = "cer", .model = {}, .reference = {}, .difference = {}}};
  std::filesystem::create_directories(site_.work);
  const WorkerOfATest worker({answered(MadeData{}), answered(report)});
  const TierProof tier = climbed(Tier::l3, worker);
  ASSERT_TRUE(tier.task) << tier.reason;
  EXPECT_EQ(tier.task->max_drop, 1e-7);
  EXPECT_EQ(*worker.asked(0).find("seed")->to_double(), 1);
  EXPECT_EQ(*worker.asked(1).find("max_drop")->to_double(), 1e-7);
  EXPECT_THAT(tier.commands.back(), HasSubstr("--max-drop 1e-07"));
}

TEST_F(AClimb, IsBlockedByAMachineThatIsTooSmall) {
  const WorkerOfATest worker(
      {refused({Fault::runtime, "it did not open", "bad allocation", "", Trouble::no_memory})});
  const TierProof tier = climbed(Tier::l2, worker);
  EXPECT_EQ(tier.verdict, TierVerdict::host_blocked);
  EXPECT_EQ(tier.reason, "it did not open: bad allocation");
}

TEST_F(AClimb, IsBlockedWhereTheMachineCannotMakeTheData) {
  const WorkerOfATest worker({refused({Fault::not_found, "there is no font"})});
  EXPECT_EQ(climbed(Tier::l3, worker).verdict, TierVerdict::host_blocked);
}

TEST_F(AClimb, WaitsForAHoneThatKnowsTheTask) {
  site_.file.data->kind = "smells";
  const TierProof tier = climbed(Tier::l3, WorkerOfATest({}));
  EXPECT_EQ(tier.verdict, TierVerdict::cli_blocked);
  EXPECT_THAT(tier.reason, HasSubstr("smells"));
  EXPECT_TRUE(tier.commands.empty());
}

TEST_F(AClimb, TellsHowToRaceWhereNobodyRaces) {
  site_.races = false;
  site_.file.recipe.session.threads = 1;
  PerfResult perf;
  perf.latency_ms.p50 = 0.1 + 0.2;
  const TierProof tier = climbed(Tier::l1, WorkerOfATest({answered(perf)}));
  ASSERT_EQ(tier.runs.size(), 1u);
  EXPECT_EQ(tier.runs.front().kind, RunClass::ran) << tier.runs.front().reason;
  EXPECT_EQ(tier.runs.front().p50_ms, 0.1 + 0.2);
  EXPECT_THAT(tier.commands,
              ElementsAre("hone perf work/build/model.onnx --iterations 50 --ep cpu --device auto "
                          "--threads 1",
                          "hone compare --arm as-it-came:model=reader.onnx,ep=cpu --arm "
                          "built:model=work/build/model.onnx,ep=cpu --max-time 60 --threads 1"));
}

TEST_F(AClimb, DoesNotBuildByWhatIsNoRecipe) {
  site_.host.program = "/nowhere/hone";
  site_.file.recipe.session.threads = 1'000'000;
  const auto crowded = build_anew(site_);
  ASSERT_FALSE(crowded);
  EXPECT_EQ(crowded.error().what, "the recipe asks for 1000000 threads");
  site_.file.recipe.session.threads = 0;
  site_.file.recipe.opset = 99;
  const auto newer = build_anew(site_);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().what, "the recipe asks for opset 99");
}

TEST_F(AClimb, BuildsWithoutTheCacheAndForgetsItsOwnFolders) {
  std::filesystem::create_directories(site_.work / "build");
  ASSERT_TRUE(write_file(site_.work / "build/model.onnx", "bytes"));
  ASSERT_TRUE(write_file(site_.work / "build/receipt.json", "{}"));
  BuildReceipt receipt;
  receipt.model = site_.model.string();
  receipt.final_artifact = "model.onnx";
  receipt.notes = {"kept '" + site_.work.string() + "/x'"};
  const WorkerOfATest worker({answered(receipt)});
  site_.host.program = worker.program().string();
  const auto built = build_anew(site_);
  ASSERT_TRUE(built) << built.error().what;
  EXPECT_FALSE(*worker.asked(0).find("keeps_cache")->as_bool());
  EXPECT_EQ(built->receipt.model, "reader.onnx");
  EXPECT_THAT(built->receipt.notes, ElementsAre("kept 'x'"));
  ASSERT_EQ(built->artifacts.files.size(), 1u);
  EXPECT_EQ(built->artifacts.files.front().path, "model.onnx");
}

TEST_F(AClimb, DoesNotFollowAReceiptOutOfItsFolder) {
  BuildReceipt receipt;
  receipt.final_artifact = "../elsewhere.onnx";
  const WorkerOfATest worker({answered(receipt)});
  site_.host.program = worker.program().string();
  EXPECT_FALSE(build_anew(site_));
}

}  // namespace
}  // namespace hone
