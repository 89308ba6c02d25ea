#include "flow/search/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/search/known_names.h"
#include "knowledge/check.h"

namespace hone {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Recipe baseline() {
  Recipe recipe;
  recipe.target.ep = "cpu";
  recipe.optimize_rounds = 0;
  return recipe;
}

SearchResult result_with(const Recipe& recipe, Verdict verdict) {
  SearchResult result;
  result.model = "model.onnx";
  result.target = recipe.target;
  SearchArm arm;
  arm.hypothesis.id = arm.hypothesis.title = "it";
  arm.hypothesis.recipe = recipe;
  arm.outcome = ArmOutcome::confirmed;
  const double ratio = verdict == Verdict::faster ? 0.5 : 2;
  ComparedArm& speed = arm.confirmed.emplace();
  speed.verdict = verdict;
  speed.ratio = ratio;
  speed.interval = {ratio * 0.9, ratio * 1.1};
  result.arms.push_back(std::move(arm));
  return result;
}

FindingTrial trial() {
  FindingTrial trial;
  trial.model = "model.onnx";
  trial.model_fingerprint = std::string(64, 'f');
  trial.ep = trial.device = "cpu";
  trial.hardware = "here";
  trial.evidence = std::string(64, 'e');
  return trial;
}

std::vector<Finding> drafts_of(const Recipe& recipe, Verdict verdict = Verdict::faster) {
  return draft_findings(baseline(), result_with(recipe, verdict), trial());
}

TEST(FindingsOfASearch, DraftsSayWhatWasMeasuredAndWhere) {
  Recipe recipe = baseline();
  recipe.optimize_rounds = 3;
  recipe.quantize.emplace().precisions = {"w8a8"};
  recipe.quantize->preset = "cpu";
  recipe.quantize->per_channel = true;
  const std::vector<Finding> drafts = drafts_of(recipe);
  ASSERT_THAT(drafts, SizeIs(1));
  EXPECT_EQ(drafts[0].change, (Change{"precision", {"w8a8+per_channel"}}));
  ASSERT_THAT(drafts[0].when.all, SizeIs(2));
  EXPECT_EQ(drafts[0].when.all[0].ep, "cpu");
  EXPECT_EQ(drafts[0].when.all[1].device, "cpu");
  EXPECT_THAT(problems_of(drafts[0], known_names()), IsEmpty());
}

TEST(FindingsOfASearch, DraftsOfThreadsAndOfWhatIsOffAreFindings) {
  Recipe recipe = baseline();
  recipe.session.threads = 2;
  ASSERT_THAT(drafts_of(recipe), SizeIs(1));
  EXPECT_THAT(problems_of(drafts_of(recipe)[0], known_names()), IsEmpty());
  recipe = baseline();
  recipe.optimize["gelu_fusion"] = false;
  ASSERT_THAT(drafts_of(recipe), SizeIs(1));
  EXPECT_THAT(problems_of(drafts_of(recipe)[0], known_names()), IsEmpty());
  recipe = baseline();
  recipe.skips_optimize = true;
  ASSERT_THAT(drafts_of(recipe, Verdict::slower), SizeIs(1));
  EXPECT_THAT(problems_of(drafts_of(recipe, Verdict::slower)[0], known_names()), IsEmpty());
}

TEST(FindingsOfASearch, AMixAndWhatNoKeyNamesMakeNoDraft) {
  Recipe recipe = baseline();
  recipe.optimize["gelu_fusion"] = true;
  recipe.session.threads = 2;
  EXPECT_THAT(drafts_of(recipe), IsEmpty());
  recipe = baseline();
  recipe.quantize.emplace().precisions = {"w8a8"};
  recipe.quantize->preset = "cpu";
  recipe.quantize->overrides = "nodes.json";
  EXPECT_THAT(drafts_of(recipe), IsEmpty());
}

}  // namespace
}  // namespace hone
