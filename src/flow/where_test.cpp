#include "flow/where.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// No worker can be started here: what needs one fails, and what does not is settled without.
Where said(const std::string& ep, const std::string& device = {}) {
  Where where;
  where.ep = ep;
  where.device = device;
  return where;
}

std::string target_of(const Where& where) {
  const auto settled = settle_where(where);
  EXPECT_TRUE(settled) << settled.error().what;
  return settled ? settled->where.ep + "/" + settled->where.device : "";
}

TEST(ATarget, IsTheCpuWhereNothingIsSaid) {
  EXPECT_EQ(target_of(said("")), "cpu/auto");
  EXPECT_EQ(target_of(said("", "cpu")), "cpu/cpu");
}

TEST(ATarget, IsTheEpThatIsNamedByItsOwnName) {
  EXPECT_EQ(target_of(said("QNNExecutionProvider", "NPU")), "qnn/npu");
  EXPECT_EQ(target_of(said("ov")), "openvino/auto");
  EXPECT_EQ(target_of(said("sim", "npu")), "sim/npu");
}

TEST(ATarget, OfAnEpThatNobodyKnowsIsRefusedWithTheNearestName) {
  for (const char* name : {"qnnn", "all", "mlas", "npu"}) {
    const auto settled = settle_where(said(name));
    ASSERT_FALSE(settled) << name;
    EXPECT_EQ(settled.error().fault, Fault::bad_input);
    EXPECT_THAT(settled.error().what, HasSubstr("there is no EP '" + std::string(name) + "'"));
    EXPECT_THAT(settled.error().cause, HasSubstr("cpu, webgpu, qnn"));
  }
  EXPECT_THAT(settle_where(said("qnnn")).error().what, HasSubstr("did you mean 'qnn'?"));
}

TEST(ATarget, OnADeviceThatTheEpDoesNotHaveIsRefusedWithThoseItHas) {
  const auto settled = settle_where(said("cuda", "npu"));
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().fault, Fault::bad_input);
  EXPECT_EQ(settled.error().what, "cuda has no npu: it runs on gpu");
  EXPECT_THAT(settled.error().hint, HasSubstr("qnn, openvino, vitisai"));
  EXPECT_FALSE(settle_where(said("cpu", "npu")));
  EXPECT_FALSE(check_target({.ep = "cpu", .device = "npu", .options = {}}, {}));
  EXPECT_FALSE(check_target({.ep = "qnnn", .device = "npu", .options = {}}, {}));
  EXPECT_TRUE(check_target({.ep = "qnn", .device = "auto", .options = {}}, {}));
}

TEST(ATarget, SettlesToItself) {
  const auto once = settle_where(said("openvino", "gpu"));
  ASSERT_TRUE(once);
  EXPECT_EQ(target_of(once->where), "openvino/gpu");
  EXPECT_THAT(once->notes, IsEmpty());
}

TEST(ATarget, IsNotHeldToAPlacementThatIsNoShare) {
  for (const double least : {-0.1, 1.5, 95.0}) {
    Where where = said("cpu");
    where.least_placement = least;
    const auto settled = settle_where(where);
    ASSERT_FALSE(settled) << least;
    EXPECT_EQ(settled.error().fault, Fault::bad_input);
    EXPECT_EQ(settled.error().what, "the least placement is a share of nodes");
  }
}

Recipe recipe_for(const std::string& ep, const std::string& device) {
  Recipe recipe;
  recipe.target = {.ep = ep, .device = device, .options = {{"key", "value"}}};
  return recipe;
}

TEST(ARecipe, KeepsItsEpForADeviceThatItHas) {
  Recipe recipe = recipe_for("openvino", "npu");
  ASSERT_TRUE(put_over(recipe, said("", "gpu")));
  EXPECT_EQ(recipe.target.ep, "openvino");
  EXPECT_EQ(recipe.target.device, "gpu");
  EXPECT_EQ(recipe.target.options.size(), 1u);
}

TEST(ARecipe, GivesItsEpUpForADeviceThatItDoesNotHave) {
  Recipe recipe = recipe_for("vitisai", "npu");
  ASSERT_TRUE(put_over(recipe, said("", "cpu")));
  EXPECT_EQ(recipe.target.ep, "cpu");
  EXPECT_EQ(recipe.target.device, "cpu");
  EXPECT_THAT(recipe.target.options, IsEmpty());
}

TEST(ARecipe, IsNotPutOnADeviceThatTheNamedEpDoesNotHave) {
  Recipe recipe = recipe_for("qnn", "npu");
  EXPECT_FALSE(put_over(recipe, said("cpu", "npu")));
  EXPECT_FALSE(put_over(recipe, said("qnnn")));
}

Placement placed(std::uint64_t own, std::uint64_t others) {
  Placement placement;
  placement.known = true;
  placement.shares = {{.ep = "qnn", .nodes = own, .subgraphs = 1, .op_counts = {}},
                      {.ep = "cpu", .nodes = others, .subgraphs = 1, .op_counts = {}}};
  return placement;
}

TEST(APlacementGate, CountsTheNodesOfTheTargetsOwnEpAlone) {
  Where where = said("qnn", "npu");
  where.least_placement = 0.95;
  EXPECT_TRUE(check_placement(where, placed(95, 5)));
  EXPECT_FALSE(check_placement(where, placed(94, 6)));
  const Status none = check_placement(where, placed(0, 100));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().fault, Fault::not_held);
  EXPECT_THAT(none.error().what, HasSubstr("0 of 100 nodes"));
}

TEST(APlacementGate, DoesNotHoldWhereThePlacementIsNotKnown) {
  Where where = said("qnn", "npu");
  where.least_placement = 0.5;
  Placement unknown = placed(100, 0);
  unknown.known = false;
  EXPECT_FALSE(check_placement(where, unknown));
}

}  // namespace
}  // namespace hone
