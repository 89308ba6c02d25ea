// Twenty ways not to be honest, and what the reviewer says to each.

#include "support/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/bundle_for_tests.h"
#include "support/lines.h"

namespace hone {
namespace {

using testing::good_bundle;

std::vector<ReviewLine> open_lines(std::vector<ReviewLine> lines) {
  std::erase_if(lines, [](const ReviewLine& line) { return line.verdict == LineVerdict::holds; });
  return lines;
}

std::vector<ReviewLine> open_lines_of(const Bundle& bundle) {
  return open_lines(check_bundle(bundle));
}

// What is wrong, what the reviewer says, and where that stands.
struct Dishonesty {
  const char* name;
  void (*tamper)(Bundle& bundle);
  ReviewVerdict verdict;
  const char* citation;
};

void PrintTo(const Dishonesty& one, std::ostream* stream) { *stream << one.name; }

constexpr auto sent_back = ReviewVerdict::request_changes;
constexpr auto rejected = ReviewVerdict::reject;

const Dishonesty dishonesties[] = {
    {"APassAboveAFail",
     [](Bundle& b) {
       b.ladder.tiers[1].verdict = TierVerdict::fail;
       b.ladder.tiers[1].reason = "it crashed";
     },
     rejected, "ladder.json#/tiers/1"},
    {"APassWithoutEvidence", [](Bundle& b) { b.ladder.tiers[2].parity.reset(); }, rejected,
     "ladder.json#/tiers/2"},
    {"APassWithoutNumbers", [](Bundle& b) { b.ladder.tiers[1].runs[0].p50_ms.reset(); }, rejected,
     "ladder.json#/tiers/1"},
    {"APassBelowTheThreshold",
     [](Bundle& b) { b.ladder.tiers[2].parity->outputs[0].cosine->low = 0.93; }, rejected,
     "ladder.json#/tiers/2"},
    {"AThresholdOfOnesOwn", [](Bundle& b) { b.ladder.tiers[2].parity->least_cosine = 0.5; },
     rejected, "ladder.json#/tiers/2/parity/least_cosine"},
    {"ADropBeyondWhatTheRecipeAllows",
     [](Bundle& b) {
       b.ladder.tiers[3].task->max_drop = 0.2;
       b.ladder.tiers[3].task->metric.difference->low = -0.15;
     },
     rejected, "ladder.json#/tiers/3/task/max_drop"},
    {"ATierLeftOut", [](Bundle& b) { b.ladder.tiers.erase(b.ladder.tiers.begin() + 1); }, rejected,
     "ladder.json#/tiers"},
    {"AGoalThatWasNotReached",
     [](Bundle& b) {
       b.ladder.tiers[3].verdict = TierVerdict::cli_blocked;
       b.ladder.tiers[3].reason = "no data";
       b.index.reached = Tier::l2;
     },
     sent_back, "claim.json#/goal"},
    {"AnIndexThatSaysMore",
     [](Bundle& b) {
       b.claim.goal = Tier::l2;
       b.ladder.tiers.pop_back();
     },
     rejected, "index.json#/reached"},
    {"EvidenceOfAnotherModel", [](Bundle& b) { b.receipt.model_sha256 = std::string(64, 'e'); },
     rejected, "receipt.json#/model_sha256"},
    {"ALadderOfAnotherRecipe", [](Bundle& b) { b.ladder.recipe_sha256 = std::string(64, 'e'); },
     rejected, "ladder.json#/recipe_sha256"},
    {"AReceiptOfAnotherRecipe", [](Bundle& b) { b.receipt.recipe.opset = 19; }, rejected,
     "receipt.json#/recipe_sha256"},
    {"APrecisionInTheNameAlone",
     [](Bundle& b) {
       b.ladder.tiers[0].structure->weight_bytes = {{"float", 4000}};
     },
     rejected, "ladder.json#/tiers/0/structure/weight_bytes"},
    {"APrecisionThatTheRecipeDoesNotMake", [](Bundle& b) { b.recipe.precision = "w8a8"; }, rejected,
     "recipe.json"},
    {"AStageThatFailed", [](Bundle& b) { b.receipt.stages[0].status = StageStatus::failed; },
     rejected, "receipt.json#/stages"},
    {"ABuildThatDidNotFinish", [](Bundle& b) { b.receipt.final_sha256.reset(); }, rejected,
     "receipt.json#/final_sha256"},
    {"CodeUnderTheNameOfARecipe",
     [](Bundle& b) { b.claim.changes.push_back("src/runtime/session.cpp"); }, rejected,
     "claim.json#/changes/1"},
    {"APathThatLeavesTheRepository",
     [](Bundle& b) { b.claim.changes.push_back("recipes/../../etc/passwd"); }, rejected,
     "claim.json#/changes/1"},
    {"AnOutcomeThatTheEffortDoesNotDeliver", [](Bundle& b) { b.claim.outcome = OutcomeLevel::l2; },
     rejected, "claim.json#/outcome"},
    {"ATemplateThatIsNotNamed", [](Bundle& b) { b.claim.recipe_template.reset(); }, sent_back,
     "claim.json#/template"},
    {"ARecipeThatIsMarkedAsBroken", [](Bundle& b) { b.recipe.status = "broken: wrong answers"; },
     sent_back, "recipe.json#/_status"},
    {"NotesThatSayNothing", [](Bundle& b) { b.notes.without_friction = false; }, sent_back,
     "notes.json"},
    {"AFindingThatCitesWhatIsNotThere",
     [](Bundle& b) {
       ModelFinding& finding = b.findings.findings.emplace_back();
       finding.evidence = {{"trace.json", std::string(64, 'f')}};
     },
     sent_back, "findings.json#/findings/0/evidence/0"},
    {"AFindingThatSaysNothing", [](Bundle& b) { b.findings.findings.emplace_back(); }, sent_back,
     "findings.json#/findings/0"},
    {"AReceiptOfAnotherVersion", [](Bundle& b) { b.receipt.ort_version = "1.29.0"; }, rejected,
     "receipt.json#/tool_version"},
};

class Dishonest : public ::testing::TestWithParam<Dishonesty> {};

TEST_P(Dishonest, IsNamedWithItsPlace) {
  Bundle bundle = good_bundle();
  GetParam().tamper(bundle);
  const std::vector<ReviewLine> lines = open_lines_of(bundle);
  EXPECT_EQ(verdict_of(lines), GetParam().verdict);
  std::vector<std::string> citations;
  for (const ReviewLine& line : lines) {
    citations.push_back(line.citation);
    EXPECT_FALSE(line.what.empty());
  }
  EXPECT_THAT(citations, ::testing::Contains(std::string(GetParam().citation)));
}

INSTANTIATE_TEST_SUITE_P(Bundle, Dishonest, ::testing::ValuesIn(dishonesties),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(HonestBundle, HasNothingHeldAgainstIt) {
  const std::vector<ReviewLine> lines = check_bundle(good_bundle());
  EXPECT_GT(lines.size(), 20u);
  EXPECT_EQ(verdict_of(lines), ReviewVerdict::approve) << open_lines(lines).front().what;
}

TEST(Review, NamesWhatMayNotBeUsedUnread) {
  Bundle bundle = good_bundle();
  EXPECT_THAT(risks_of(bundle), ::testing::IsEmpty());
  bundle.recipe.recipe.target.options = {{"backend_path", "evil.so"}};
  bundle.recipe.recipe.session.options = {{"session.some_file", "/etc/passwd"}};
  bundle.recipe.recipe.quantize->calibration_data = "/etc";
  bundle.ladder.tiers[1].runs[0].target.options = {{"backend_path", "evil.so"}};
  EXPECT_THAT(risks_of(bundle), ::testing::SizeIs(4));
}

TEST(Review, OfNothingIsNoApproval) { EXPECT_EQ(verdict_of({}), ReviewVerdict::request_changes); }

// Measured again.
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

}  // namespace
}  // namespace hone
