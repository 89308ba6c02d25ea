#include "flow/proof/recipe_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/proof/worker_for_tests.h"
#include "record/build.h"
#include "support/bundle_for_tests.h"
#include "support/recipe_file.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ACatalog : public ::testing::Test {
 protected:
  std::string place() const { return folder_.path().string(); }
  TemporaryFolder folder_ = TemporaryFolder::create("catalog").value();
  RecipeFile file_ = testing::good_recipe();
};

TEST_F(ACatalog, KeepsARecipeWhereItsContentsSay) {
  const auto path = keep_recipe_file(file_, folder_.path(), false);
  ASSERT_TRUE(path) << path.error().what;
  EXPECT_EQ(*path, folder_.path() / "recipes/acme_reader/cpu/text-recognition_w8a16.json");
  const auto checked = check_recipe_files({place()});
  ASSERT_TRUE(checked) << checked.error().what;
  ASSERT_EQ(checked->recipes.size(), 1u);
  EXPECT_THAT(checked->recipes.front().problems, IsEmpty());
}

TEST_F(ACatalog, DoesNotReplaceARecipeUnlessAsked) {
  ASSERT_TRUE(keep_recipe_file(file_, folder_.path(), false));
  EXPECT_FALSE(keep_recipe_file(file_, folder_.path(), false));
  EXPECT_TRUE(keep_recipe_file(file_, folder_.path(), true));
}

TEST_F(ACatalog, IsReadInOrderAndOnlyItsDocuments) {
  for (const char* name : {"b.json", "a.json", "c.md"})
    ASSERT_TRUE(write_file(folder_.path() / name, "{}"));
  const auto files = recipe_files_in({place(), "named.txt"});
  ASSERT_TRUE(files);
  EXPECT_THAT(*files,
              ElementsAre(Path("named.txt"), folder_.path() / "a.json", folder_.path() / "b.json"));
}

TEST_F(ACatalog, TellsWhatCannotBeReadAsAProblemOfThatFile) {
  ASSERT_TRUE(write_file(folder_.path() / "a.json", "{"));
  const auto checked = check_recipe_files({place(), place() + "/missing.json"});
  ASSERT_TRUE(checked) << checked.error().what;
  ASSERT_EQ(checked->recipes.size(), 2u);
  for (const CheckedRecipe& one : checked->recipes) EXPECT_EQ(one.problems.size(), 1u) << one.file;
}

TEST_F(ACatalog, IsRefusedWhereThereIsNothingToCheck) {
  const auto checked = check_recipe_files({place()});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().what, "there is no recipe to check");
}

// A build that added a fusion by itself, the same with the fusion in the recipe, and what it is.
TEST_F(ACatalog, GetsARecipeThatSaysWhatTheBuildAddedByItself) {
  BuildReceipt suggested;
  suggested.final_artifact = "model.onnx";
  StageReceipt& optimize = suggested.stages.emplace_back();
  optimize.name = "optimize";
  OptimizeRound round;
  round.added = {"conv_bn_fusion"};
  optimize.effect = Json::object().set("rounds", to_json(std::vector<OptimizeRound>{round}));
  BuildReceipt pinned;
  pinned.final_artifact = "model.onnx";
  ModelFacts facts;
  facts.opsets["ai.onnx"] = 17;
  facts.inputs = {{"x", "float", std::vector<Json>{1, 3, 48, 320}}};
  facts.outputs = {{"y", "float", std::vector<Json>{1, 40, 97}}};
  const WorkerOfATest worker(
      {answered(ModelFacts{}), answered(suggested), answered(pinned), answered(facts)});
  NewRecipeOrder order;
  order.model = HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx";
  order.id = "tiny/resnet";
  order.task = "image-classification";
  order.max_drop = 1e-7;
  order.data = DataRecipe{.kind = "digits", .count = 100, .seed = 0};
  order.host.program = worker.program().string();
  const auto made = make_recipe_file(order, {});
  ASSERT_TRUE(made) << made.error().what << ": " << made.error().cause;
  EXPECT_EQ(made->recipe.optimize_rounds, 0);
  EXPECT_TRUE(made->recipe.optimize.at("conv_bn_fusion"));
  EXPECT_EQ(made->opset, 17);
  EXPECT_EQ(made->max_drop, 1e-7);
  const Json second = worker.asked(2);
  EXPECT_TRUE(*second.find("recipe")->find("optimize")->find("conv_bn_fusion")->as_bool());
}

}  // namespace
}  // namespace hone
