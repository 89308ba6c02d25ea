// Ways not to be honest, and what the reviewer says to each.

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

ModelFinding finding_of(const char* effort, const char* goal, const char* ep) {
  ModelFinding finding;
  finding.title = "reader at w8a16 goes from 120 to 100 nodes";
  finding.observation = "it does";
  finding.effort = effort;
  finding.goal_reached = goal;
  finding.date = "2026-11-16";
  finding.scope.validated_on = {{.model = "reader", .precision = "w8a16", .ep = ep}};
  return finding;
}

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
    {"AReceiptOfABuildThatEndsElsewhere",
     [](Bundle& b) { b.receipt.final_artifact = "../../etc/passwd"; }, rejected,
     "receipt.json#/final_artifact"},
    {"AReceiptOfAModelOfAnotherName", [](Bundle& b) { b.receipt.model = "/elsewhere/secret.onnx"; },
     rejected, "receipt.json#/model"},
    {"AnArtifactThatIsThereTwice",
     [](Bundle& b) { b.artifacts.files.push_back(b.artifacts.files[0]); }, rejected,
     "artifacts.json#/files"},
    {"VersionsThatTheMachineDidNotHave",
     [](Bundle& b) { b.receipt.tool_version = b.ladder.tool_version = "9.9.9"; }, rejected,
     "ladder.json#/tool_version"},
    {"AMachineThatIsNotNamed", [](Bundle& b) { b.ladder.machine.erase("cpu"); }, sent_back,
     "ladder.json#/machine"},
    {"AFirstTargetThatIsNotTheRecipes",
     [](Bundle& b) { b.ladder.tiers[1].runs[0].target.device = "npu"; }, rejected,
     "ladder.json#/tiers/1/runs/0/target"},
    {"ATargetRespelled", [](Bundle& b) { b.ladder.tiers[1].runs[0].target.device = "cpu"; },
     rejected, "ladder.json#/tiers/1/runs/0/target"},
    {"ATargetThatIsThereTwice",
     [](Bundle& b) { b.ladder.tiers[1].runs.push_back(b.ladder.tiers[1].runs[1]); }, rejected,
     "ladder.json#/tiers/1/runs/2/target"},
    {"ATargetThatIsAnOption", [](Bundle& b) { b.ladder.tiers[1].runs[1].target.ep = "--ort"; },
     rejected, "ladder.json#/tiers/1/runs/1/target"},
    {"CoverageThatIsNoAnalysis",
     [](Bundle& b) { b.coverage = Json::object().set("all", "nodes run on the npu"); }, rejected,
     "coverage.json"},
    {"CoverageOfAnotherTarget",
     [](Bundle& b) {
       Analysis other;
       other.target.ep = "qnn";
       b.coverage = to_document(other, analyze_schema_version);
     },
     rejected, "coverage.json#/target"},
    {"NotesThatAreBlank",
     [](Bundle& b) {
       b.notes = {{" \n"}, false};
     },
     sent_back, "notes.json"},
    {"AFileThatNothingNeeds",
     [](Bundle& b) {
       b.manifest.files.push_back({"evil.sh", std::string(64, 'f'), 2});
     },
     rejected, "evil.sh"},
    {"ASkeletonThatIsNotInTheManifest",
     [](Bundle& b) {
       b.recipe.source.skeleton = std::string(64, 'e');
       b.recipe.source.statistics = std::string(64, 'f');
     },
     rejected, "recipe.json#/source"},
    {"AFindingOfAnotherEffort",
     [](Bundle& b) { b.findings.findings.push_back(finding_of("L2", "L3", "cpu")); }, sent_back,
     "findings.json#/findings/0/effort"},
    {"AFindingThatReachedMore",
     [](Bundle& b) { b.findings.findings.push_back(finding_of("L0", "L2", "cpu")); }, sent_back,
     "findings.json#/findings/0/goal_reached"},
    {"AFindingOnAnotherTarget",
     [](Bundle& b) { b.findings.findings.push_back(finding_of("L0", "L3", "qnn/npu")); }, sent_back,
     "findings.json#/findings/0/scope/validated_on/0"},
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

TEST(HonestBundle, HasItsOwnFindingsAndSkeleton) {
  Bundle bundle = good_bundle();
  bundle.findings.findings.push_back(finding_of("L0", "L3", "cpu"));
  bundle.findings.findings[0].evidence = {{"receipt.json", std::string(64, 'f')}};
  bundle.findings.findings[0].scope.validated_on[0].evidence = std::string(64, 'f');
  bundle.recipe.source.skeleton = std::string(64, 'd');
  bundle.recipe.source.statistics = std::string(64, 'e');
  bundle.manifest.files = {{"receipt.json", std::string(64, 'f'), 2},
                           {"source/reader.onnx", std::string(64, 'd'), 2},
                           {"source/reader.stats.json", std::string(64, 'e'), 2}};
  const std::vector<ReviewLine> lines = open_lines_of(bundle);
  EXPECT_TRUE(lines.empty()) << lines.front().citation << ": " << lines.front().what;
}

TEST(HonestBundle, OfABuildThatFailedIsSentBackAndNotCalledForged) {
  Bundle bundle = good_bundle();
  TierProof failed;
  failed.verdict = TierVerdict::fail;
  failed.reason = "the recipe quantizes to no precision";
  bundle.ladder.tiers = {failed};
  bundle.index.reached.reset();
  bundle.receipt = {};
  bundle.artifacts = {};
  EXPECT_EQ(verdict_of(check_bundle(bundle)), ReviewVerdict::request_changes);
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

}  // namespace
}  // namespace hone
