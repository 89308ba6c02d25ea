#include "flow/search/record_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

using testing::SizeIs;

RecordedArm arm(const std::string& id, double ratio) {
  RecordedArm made;
  made.hypothesis.id = made.hypothesis.title = id;
  made.hypothesis.dimension = id == "baseline" ? "baseline" : "provider";
  made.hypothesis.recipe.target.ep = "cuda";
  made.hypothesis.recipe.target.device = "gpu";
  if (id != "baseline") made.hypothesis.recipe.target.options[id] = "1";
  made.built.emplace().sha256 = id;
  made.numerics.verdict = made.accuracy.verdict = CheckVerdict::pass;
  for (const double noise : {-0.004, 0.003, -0.002, 0.001, 0.002, -0.003, 0.004, -0.001}) {
    made.sessions.push_back({std::log(ratio) + noise, std::log(ratio) - noise / 2});
    made.session_ms.push_back(2 * ratio);
  }
  return made;
}

RecordedSpace a_space() {
  RecordedSpace space;
  space.model = "net.onnx";
  space.target = {.ep = "cuda", .device = "gpu", .options = {}};
  space.baseline_ms = 2;
  space.facts = {{"ort_version", "1.29.0"}, {"hardware", "abcd"}, {"model_fingerprint", "f00d"}};
  space.arms = {arm("baseline", 1), arm("enable_cuda_graph", 0.63), arm("slow", 1.4),
                arm("same", 1.0)};
  return space;
}

TEST(ARecord, IsJudgedAsASearchThatComparedEveryArm) {
  const SearchResult result = judge_space(a_space(), 0.01);
  ASSERT_THAT(result.arms, SizeIs(4));
  EXPECT_EQ(result.arms[0].outcome, ArmOutcome::baseline);
  EXPECT_EQ(result.arms[1].confirmed->verdict, Verdict::faster);
  EXPECT_NEAR(result.arms[1].confirmed->ratio, 0.63, 0.01);
  EXPECT_NEAR(*result.arms[1].confirmed->median_ms, 1.26, 1e-9);
  EXPECT_EQ(result.arms[2].confirmed->verdict, Verdict::slower);
  EXPECT_NE(result.arms[3].confirmed->verdict, Verdict::faster);
}

TEST(ARecord, GivesDraftsThatSayWhereTheyWereSeen) {
  const std::vector<Finding> drafts = draft_findings(a_space(), 0.01, "5ha");
  ASSERT_THAT(drafts, SizeIs(2)) << "of what is shown to be faster or slower";
  const Finding& graph = drafts.front();
  EXPECT_EQ(graph.advice, FindingAdvice::prefer);
  EXPECT_EQ(graph.effect->sessions, 8U);
  ASSERT_THAT(graph.scope.validated_on, SizeIs(1));
  const FindingTrial& trial = graph.scope.validated_on.front();
  EXPECT_EQ(trial.ep, "cuda");
  EXPECT_EQ(trial.device, "gpu");
  EXPECT_EQ(trial.ort_version, "1.29.0");
  EXPECT_EQ(trial.hardware, "abcd");
  EXPECT_EQ(trial.model_fingerprint, "f00d");
  EXPECT_EQ(trial.evidence, "5ha");
  EXPECT_EQ(drafts.back().advice, FindingAdvice::skip);
}

TEST(ARecord, SaysNothingOfWhatDidNotRun) {
  RecordedSpace space = a_space();
  space.arms[1].error = Error{.fault = Fault::unsupported, .what = "no graph of it"};
  space.arms[1].sessions.clear();
  const SearchResult result = judge_space(space, 0.01);
  EXPECT_EQ(result.arms[1].outcome, ArmOutcome::run_failed);
  EXPECT_EQ(result.arms[1].reason, "no graph of it");
  EXPECT_THAT(draft_findings(space, 0.01, ""), SizeIs(1));
}

}  // namespace
}  // namespace hone
