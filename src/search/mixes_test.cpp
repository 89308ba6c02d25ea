#include "search/mixes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Hypothesis changed(const std::string& id, const std::function<void(Recipe&)>& change) {
  Hypothesis made;
  made.id = id;
  made.title = id;
  change(made.recipe);
  return made;
}

std::vector<std::string> ids_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<std::string> ids;
  for (const Hypothesis& hypothesis : hypotheses) ids.push_back(hypothesis.id);
  return ids;
}

TEST(Mixes, HoldWhatEachPartChanges) {
  Recipe opset;
  opset.opset = 21;
  Recipe flags;
  flags.optimize["gelu_fusion"] = true;
  flags.session.options["enable_mem_pattern"] = "0";
  Recipe threads;
  threads.session.threads = 2;
  threads.session.options["enable_cpu_mem_arena"] = "0";
  const auto first = merge_recipes({}, opset, flags);
  ASSERT_TRUE(first);
  const auto merged = merge_recipes({}, *first, threads);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->opset, 21);
  EXPECT_TRUE(merged->optimize.at("gelu_fusion"));
  EXPECT_EQ(merged->session.threads, 2);
  EXPECT_EQ(merged->session.options.size(), 2u);
}

TEST(Mixes, LeaveOutWhatConflicts) {
  Recipe one;
  one.session.threads = 1;
  Recipe two;
  two.session.threads = 2;
  EXPECT_FALSE(merge_recipes({}, one, two));
  EXPECT_TRUE(merge_recipes({}, one, one));
  Recipe int8;
  int8.quantize.emplace().precisions = {"w8a8"};
  Recipe int4;
  int4.quantize.emplace().precisions = {"int4"};
  EXPECT_FALSE(merge_recipes({}, int8, int4));
}

TEST(Mixes, AreAllPairsAndAllTogetherTheMostPromisingFirst) {
  const Hypothesis a = changed("a", [](Recipe& recipe) { recipe.opset = 21; });
  const Hypothesis b = changed("b", [](Recipe& recipe) { recipe.session.threads = 2; });
  const Hypothesis c = changed("c", [](Recipe& recipe) { recipe.optimize["x"] = true; });
  const std::vector<MixPart> parts = {{&a, -0.3}, {&b, -0.2}, {&c, -0.1}};
  EXPECT_THAT(ids_of(mix({}, parts, 8)), ElementsAre("a+b+c", "a+b", "a+c", "b+c"));
  EXPECT_THAT(ids_of(mix({}, parts, 2)), ElementsAre("a+b+c", "a+b"));
  EXPECT_THAT(ids_of(mix({}, {{&a, -0.3}}, 8)), IsEmpty());
  const Hypothesis d = changed("d", [](Recipe& recipe) { recipe.session.threads = 1; });
  EXPECT_THAT(ids_of(mix({}, {{&a, -0.3}, {&b, -0.2}, {&d, -0.1}}, 8)), ElementsAre("a+b", "a+d"));
}

}  // namespace
}  // namespace hone
