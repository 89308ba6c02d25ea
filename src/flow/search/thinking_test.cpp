#include "flow/search/thinking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;

Hypothesis idea(const std::string& id, const std::string& ep, double priority) {
  Hypothesis made;
  made.id = id;
  made.dimension = id == "baseline" ? "baseline" : "session";
  made.priority = priority;
  made.recipe.target.ep = ep;
  return made;
}

TargetThoughts thoughts_of(const std::string& ep, const std::string& label) {
  TargetThoughts thoughts;
  thoughts.target.label = label;
  thoughts.environment.key = "key of " + ep;
  thoughts.environment.facts = {{"ep", ep}};
  thoughts.proposed.hypotheses = {idea("baseline", ep, 0), idea("fp16", ep, ep == "cuda" ? 2 : 1)};
  thoughts.proposed.skips = {{"threads", "session", "", "the gpu takes the whole model", {}}};
  return thoughts;
}

TEST(JoinTargets, LeavesOneTargetAsItIs) {
  const HypothesisSet all = join_targets({thoughts_of("cuda", "")});
  ASSERT_EQ(all.hypotheses.size(), 2U);
  EXPECT_EQ(all.hypotheses[1].id, "fp16");
  EXPECT_EQ(join_environments({thoughts_of("cuda", "")}).key, "key of cuda");
}

TEST(JoinTargets, LabelsTheOthersAndMakesTheirBaselinesArms) {
  const std::vector<TargetThoughts> both = {thoughts_of("cuda", ""),
                                            thoughts_of("webgpu", "webgpu")};
  const HypothesisSet all = join_targets(both);
  std::vector<std::string> ids;
  for (const Hypothesis& hypothesis : all.hypotheses) ids.push_back(hypothesis.id);
  EXPECT_THAT(ids, ElementsAre("baseline", "webgpu", "fp16", "webgpu:fp16"));
  EXPECT_EQ(all.hypotheses[1].dimension, "target");
  EXPECT_EQ(all.hypotheses[1].recipe.target.ep, "webgpu");
  EXPECT_EQ(all.skips[1].id, "webgpu:threads");
  const SearchEnvironment joined = join_environments(both);
  EXPECT_EQ(joined.fact("ep"), "cuda, webgpu");
  EXPECT_NE(joined.key, both.front().environment.key);
}

}  // namespace
}  // namespace hone
