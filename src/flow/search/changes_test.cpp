#include "flow/search/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Recipe baseline() {
  Recipe recipe;
  recipe.target.ep = "cpu";
  recipe.optimize_rounds = 0;
  return recipe;
}

Recipe quantized(const std::string& precision) {
  Recipe recipe = baseline();
  recipe.optimize_rounds = 3;
  QuantizeRecipe& quantize = recipe.quantize.emplace();
  quantize.precisions = {precision};
  quantize.preset = "cpu";
  quantize.calibration_data = "inputs.npz";
  return recipe;
}

// That the recipe has this one change, and that it says all of it.
void expect_whole(const Recipe& recipe, const Change& change) {
  EXPECT_THAT(changes_of(baseline(), recipe), ElementsAre(change));
  EXPECT_TRUE(is_whole(baseline(), change, recipe));
}

TEST(Changes, OfTheBaselineAreNone) {
  EXPECT_THAT(changes_of(baseline(), baseline()), IsEmpty());
  EXPECT_THAT(changes_of(quantized("w8a8"), quantized("w8a8")), IsEmpty());
}

TEST(Changes, TellOnePrecisionFromItsOtherKind) {
  expect_whole(quantized("w8a8"), {"precision", {"w8a8"}});
  Recipe recipe = quantized("w8a8");
  recipe.quantize->per_channel = true;
  expect_whole(recipe, {"precision", {"w8a8+per_channel"}});
  EXPECT_FALSE(is_whole(baseline(), {"precision", {"w8a8"}}, recipe));
  recipe.quantize->method = "entropy";
  expect_whole(recipe, {"precision", {"w8a8+per_channel+method=entropy"}});
}

TEST(Changes, OfNodesOfOneModelAreNeverWhole) {
  Recipe recipe = quantized("w8a8");
  recipe.quantize->overrides = "nodes.json";
  EXPECT_THAT(changes_of(baseline(), recipe), ElementsAre(Change{"precision", {"w8a8+overrides"}}));
  EXPECT_FALSE(is_whole(baseline(), {"precision", {"w8a8+overrides"}}, recipe));
}

TEST(Changes, SeeThreadsAndOptionsOfTheSession) {
  Recipe recipe = baseline();
  recipe.session.threads = 2;
  expect_whole(recipe, {"session", {"threads=2"}});
  recipe.session.options["enable_cpu_mem_arena"] = "0";
  expect_whole(recipe, {"session", {"enable_cpu_mem_arena=0", "threads=2"}});
}

TEST(Changes, OfAMixAreOneForEachOfItsParts) {
  Recipe recipe = baseline();
  recipe.optimize["gelu_fusion"] = true;
  recipe.session.threads = 2;
  EXPECT_THAT(changes_of(baseline(), recipe),
              ElementsAre(Change{"optimize", {"gelu_fusion"}}, Change{"session", {"threads=2"}}));
  EXPECT_FALSE(is_whole(baseline(), {"optimize", {"gelu_fusion"}}, recipe));
}

TEST(Changes, SeeWhatIsSwitchedOffAndLeftOut) {
  Recipe recipe = baseline();
  recipe.optimize["gelu_fusion"] = false;
  expect_whole(recipe, {"optimize", {"gelu_fusion=off"}});
  recipe = baseline();
  recipe.skips_optimize = true;
  expect_whole(recipe, {"optimize", {"skip_optimize"}});
  recipe = baseline();
  recipe.optimize_rounds = 3;
  expect_whole(recipe, {"optimize", {"optimize_rounds=3"}});
}

TEST(Changes, WithWhatNoKeyNamesAreNotWhole) {
  Recipe recipe = quantized("int4");
  recipe.quantize->block_size = 32;
  EXPECT_FALSE(is_whole(baseline(), {"precision", {"int4"}}, recipe));
  recipe = baseline();
  recipe.compile.emplace();
  expect_whole(recipe, {"compile", {}});
  recipe.compile->embeds = true;
  EXPECT_FALSE(is_whole(baseline(), {"compile", {}}, recipe));
}

TEST(Changes, SeeHowACheckpointIsExported) {
  Recipe base = baseline();
  base.exporting = ExportRecipe{.opset = 17};
  Recipe recipe = base;
  recipe.exporting->form = "contrib";
  const Change change{"export", {"form=contrib"}};
  EXPECT_THAT(changes_of(base, recipe), ElementsAre(change));
  EXPECT_TRUE(is_whole(base, change, recipe));
  recipe.exporting->opset = 21;
  EXPECT_THAT(changes_of(base, recipe),
              ElementsAre(Change{"export", {"form=contrib", "opset=21"}}));
  EXPECT_FALSE(is_whole(base, change, recipe));
  EXPECT_FALSE(is_whole(baseline(), change, recipe));  // which is no checkpoint's
}

TEST(Changes, OfSizesAreNeverWhole) {
  Recipe recipe = baseline();
  recipe.shapes = InputShapes{{"x", {1, 3}}};
  const Change change{"shapes", {"static"}};
  EXPECT_THAT(changes_of(baseline(), recipe), ElementsAre(change));
  EXPECT_FALSE(is_whole(baseline(), change, recipe));
}

}  // namespace
}  // namespace hone
