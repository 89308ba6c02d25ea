#include "pipeline/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Target on(std::string ep, std::string device = "auto") {
  return {.ep = std::move(ep), .device = std::move(device), .options = {}};
}

TEST(Policy, QuantizesForNpusAndStaysFloatElsewhere) {
  EXPECT_THAT(choose_precision(on("qnn"), "auto")->precisions, ElementsAre("w8a16"));
  EXPECT_THAT(choose_precision(on("qnn", "gpu"), "auto")->precisions, IsEmpty());
  EXPECT_THAT(choose_precision(on("cpu"), "auto")->precisions, IsEmpty());
  EXPECT_THAT(choose_precision(on("openvino", "npu"), "")->precisions, ElementsAre("w8a16"));
}

TEST(Policy, KnowsWhichEpsTakeNoOpenDimension) {
  EXPECT_TRUE(needs_static_shapes(on("qnn")));
  EXPECT_TRUE(needs_static_shapes(on("QNNExecutionProvider", "gpu")));
  EXPECT_TRUE(needs_static_shapes(on("vitisai")));
  EXPECT_TRUE(needs_static_shapes(on("openvino", "npu")));
  EXPECT_FALSE(needs_static_shapes(on("openvino", "gpu")));
  EXPECT_FALSE(needs_static_shapes(on("cpu")));
  EXPECT_FALSE(needs_static_shapes(on("somebody")));
}

TEST(Policy, LeavesQuantizingToEpsThatDoItThemselves) {
  const auto choice = choose_precision(on("vitisai", "npu"), "auto");
  EXPECT_THAT(choice->precisions, IsEmpty());
  EXPECT_THAT(choice->reason, HasSubstr("quantizes by itself"));
}

TEST(Policy, DoesWhatIsAskedFor) {
  EXPECT_THAT(choose_precision(on("cpu"), "int8")->precisions, ElementsAre("w8a8"));
  EXPECT_THAT(choose_precision(on("cpu"), "w4a16")->precisions, ElementsAre("int4", "fp16"));
  EXPECT_THAT(choose_precision(on("vitisai"), "w8a8")->precisions, ElementsAre("w8a8"));
  EXPECT_THAT(choose_precision(on("qnn"), "fp32")->precisions, IsEmpty());
}

TEST(Policy, ListsThePrecisionsThereAre) {
  const auto choice = choose_precision(on("cpu"), "w3a7");
  EXPECT_EQ(choice.error().what, "there is no precision 'w3a7'");
  EXPECT_EQ(choice.error().cause,
            "it is one of: auto, fp32, w8a8, w8a16, w16a8, int16, int4, w4a16, fp16, dynamic");
  EXPECT_EQ(choose_precision(on("cpu"), "w8a6").error().hint, "did you mean 'w8a8'?");
}

TEST(Policy, DoesNotDoAgainWhatIsDone) {
  const auto compiled = choose_recipe(on("qnn"), "auto", {.is_compiled = true});
  EXPECT_FALSE(compiled->recipe.quantize);
  EXPECT_FALSE(compiled->recipe.compile);
  EXPECT_TRUE(compiled->recipe.skips_optimize);
  const auto quantized = choose_recipe(on("qnn"), "auto", {.is_quantized = true});
  EXPECT_FALSE(quantized->recipe.quantize);
  EXPECT_TRUE(quantized->recipe.compile);
}

TEST(Policy, OptimizesAQuantizedModelAsFarAsSomebodyAsks) {
  auto choice = choose_recipe(on("qnn"), "auto", {.is_quantized = true});
  ASSERT_TRUE(choice->recipe.skips_optimize);
  ASSERT_TRUE(enable_as_asked({"gelu-fusion"}, false, *choice));
  EXPECT_FALSE(choice->recipe.skips_optimize);
  EXPECT_EQ(choice->recipe.optimize_rounds, 0);
  EXPECT_TRUE(choice->recipe.optimize.at("gelu_fusion"));
  EXPECT_EQ(choice->reasons.back(), "optimized as asked for, and no further: gelu-fusion");
}

TEST(Policy, SaysThatNothingIsDoneOfWhatIsAskedForWhereNothingIsOptimized) {
  auto choice = choose_recipe(on("cpu"), "auto", {});
  ASSERT_TRUE(enable_as_asked({"gelu-fusion"}, true, *choice));
  EXPECT_TRUE(choice->recipe.skips_optimize);
  EXPECT_EQ(choice->reasons.back(), "not optimized, so not done: gelu-fusion");
}

TEST(Policy, RefusesToOptimizeACompiledModel) {
  auto choice = choose_recipe(on("qnn"), "auto", {.is_compiled = true});
  const auto asked = enable_as_asked({"gelu-fusion"}, false, *choice);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().what, "'gelu-fusion' cannot be switched on");
}

TEST(Policy, OptimizesAQuantizedModelOnTheCpuAndNotForAnAccelerator) {
  EXPECT_FALSE(choose_recipe(on("cpu"), "auto", {.is_quantized = true})->recipe.skips_optimize);
  EXPECT_TRUE(choose_recipe(on("qnn"), "auto", {.is_quantized = true})->recipe.skips_optimize);
}

TEST(Policy, ChoosesThePresetAndCompilationOfTheEp) {
  const auto choice = choose_recipe(on("QNNExecutionProvider"), "auto", {});
  EXPECT_EQ(choice->recipe.target.ep, "qnn");
  EXPECT_EQ(choice->recipe.quantize->preset, "qnn");
  EXPECT_TRUE(choice->recipe.compile);
  EXPECT_FALSE(choose_recipe(on("cpu"), "w8a8", {})->recipe.compile);
  EXPECT_EQ(choose_recipe(on("cpu"), "w8a8", {})->recipe.quantize->preset, "cpu");
}

TEST(Recipes, ComeBackFromJsonAsTheyWere) {
  Recipe recipe = choose_recipe(on("qnn", "npu"), "w8a16", {})->recipe;
  recipe.opset = 21;
  recipe.optimize = {{"gelu_fusion", true}};
  recipe.session.options = {{"session.intra_op.allow_spinning", "0"}};
  const auto again =
      from_document<Recipe>(to_document(recipe, recipe_schema_version), recipe_schema_version);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(hash_of(*again), hash_of(recipe));
  recipe.opset = 20;
  EXPECT_NE(hash_of(*again), hash_of(recipe));
}

TEST(Recipes, AreRefusedWithUnknownKeys) {
  const auto recipe =
      from_json<Recipe>(Json::parse(R"({"target": {"ep": "cpu"}, "optimise": {}})").value());
  EXPECT_THAT(recipe.error().what, HasSubstr("optimise"));
}

TEST(Recipes, AreCheckedBeforeAnythingIsBuilt) {
  Recipe recipe;
  recipe.optimize = {{"gelu_fuson", true}};
  EXPECT_EQ(check_recipe(recipe).error().what, "there is no capability 'gelu_fuson'");
  recipe.optimize.clear();
  recipe.opset = 3;
  EXPECT_EQ(check_recipe(recipe).error().what, "the recipe asks for opset 3");
  recipe.opset = 17;
  recipe.optimize_rounds = 4;
  EXPECT_EQ(check_recipe(recipe).error().what, "the recipe asks for 4 rounds of suggestions");
  recipe.optimize_rounds = 0;
  recipe.session.options = {{"nonsense", "1"}};
  EXPECT_THAT(check_recipe(recipe).error().what, HasSubstr("nonsense"));
  recipe.session.options.clear();
  recipe.quantize.emplace();
  EXPECT_EQ(check_recipe(recipe).error().what, "the recipe quantizes to no precision");
}

}  // namespace
}  // namespace hone
