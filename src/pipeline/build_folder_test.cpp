// The folder of a build that replaces another one, killed before each change of a file in turn.

#include "pipeline/build_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/killed_for_tests.h"
#include "model/model.h"

namespace hone {
namespace {

using testing::AnyOf;
using testing::ElementsAre;

// A build whose recipe says as many threads as its model adds.
class ReplacedBuild : public testing::Test {
 protected:
  static constexpr auto stage = "stages/1-normalize/model.onnx";

  static Model model_of(float number) {
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    Graph& graph = *model.graph;
    Value& x = graph.add_value("x", Type::tensor(ElementType::float32, shape_of({512})));
    graph.add_input(x);
    const std::vector<float> numbers(512, number);
    Value& w = graph.add_initializer(make_float_tensor("w", numbers));
    Value& y = graph.add_value("y");
    graph.add_node("Add", {&x, &w}, {&y});
    graph.add_output(y);
    return model;
  }

  // All that a build has made when its stages are done.
  BuildReceipt make_stages(int number, DataPlacement placement) const {
    std::filesystem::create_directories(at("stages/1-normalize"));
    EXPECT_TRUE(save_model(model_of(static_cast<float>(number)), at(stage),
                           {.placement = placement, .data_file = {}, .overwrite = true}));
    BuildReceipt receipt;
    receipt.recipe.session.threads = number;
    receipt.final_artifact = stage;
    return receipt;
  }

  bool build(int number, DataPlacement placement = DataPlacement::split) const {
    BuildReceipt receipt = make_stages(number, placement);
    return settle_build(folder_.path(), receipt).has_value();
  }

  // What a reader of the folder opens, and by which recipe.
  std::pair<int, std::int64_t> found() const {
    const auto unsettled = unsettled_build(folder_.path());
    const Path file = at(unsettled ? *unsettled->final_artifact : build_model_name);
    const auto model = load_model(file);
    const auto bytes = model ? model->graph->find("w")->initializer()->bytes()
                             : Result<std::string_view>(fail(Fault::io, "none"));
    float number = 0;
    if (bytes) std::memcpy(&number, bytes->data(), sizeof number);
    if (unsettled) return {static_cast<int>(number), unsettled->recipe.session.threads};
    const auto document = Json::parse(read_file(at(build_recipe_name)).value_or(""));
    const auto recipe = document ? from_document<Recipe>(*document, recipe_schema_version)
                                 : Result<Recipe>(fail(document.error()));
    return {static_cast<int>(number), recipe ? recipe->session.threads : 0};
  }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  Path at(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_ = TemporaryFolder::create("build-folder").value();
};

TEST_F(ReplacedBuild, HasAModelAndItsOwnRecipeWheneverItIsKilled) {
  HONE_SKIP_WITHOUT_TRACING();
  for (std::uint64_t step = 0;; ++step) {
    ASSERT_TRUE(build(1));
    BuildReceipt receipt = make_stages(2, DataPlacement::split);
    const bool was_killed =
        killed_at(step, [&] { return settle_build(folder_.path(), receipt).has_value(); });
    EXPECT_THAT(found(), AnyOf(std::pair(1, 1), std::pair(2, 2))) << "killed at step " << step;
    if (auto left = unsettled_build(folder_.path())) {
      EXPECT_TRUE(settle_build(folder_.path(), *left)) << "the next build finishes it";
    }
    EXPECT_FALSE(unsettled_build(folder_.path()));
    EXPECT_THAT(found(), AnyOf(std::pair(1, 1), std::pair(2, 2))) << "settled after step " << step;
    ASSERT_TRUE(build(2));
    EXPECT_EQ(found(), std::pair(2, std::int64_t{2}));
    EXPECT_THAT(names(), ElementsAre("model.onnx", "model.onnx.data", "receipt.json", "recipe.json",
                                     "stages"));
    if (was_killed) continue;
    EXPECT_GE(step, 15u);
    return;
  }
}

TEST_F(ReplacedBuild, KeepsNoDataThatItsModelDoesNotRead) {
  ASSERT_TRUE(build(1));
  ASSERT_TRUE(write_file(at("model.onnx.notes"), "mine"));
  std::filesystem::remove(at("stages/1-normalize/model.onnx.data"));
  ASSERT_TRUE(build(2, DataPlacement::inlined));
  EXPECT_THAT(names(), ElementsAre("model.onnx", "model.onnx.notes", "receipt.json", "recipe.json",
                                   "stages"));
}

TEST_F(ReplacedBuild, KeepsTheDataOfAModelThatWasPutAside) {
  ASSERT_TRUE(build(1));
  std::filesystem::rename(at("model.onnx"), at("before.onnx"));
  std::filesystem::remove(at("stages/1-normalize/model.onnx.data"));
  ASSERT_TRUE(build(2, DataPlacement::inlined));
  EXPECT_TRUE(load_model(at("before.onnx"))->graph->find("w")->initializer()->bytes());
}

TEST_F(ReplacedBuild, IsNotLookedForOutsideOfTheFolder) {
  ASSERT_TRUE(build(1));
  BuildReceipt receipt;
  for (const char* artifact : {"../model.onnx", "/etc/passwd", "stages/9-gone/model.onnx"}) {
    receipt.final_artifact = artifact;
    ASSERT_TRUE(write_receipt(folder_.path(), receipt));
    EXPECT_FALSE(unsettled_build(folder_.path())) << artifact;
  }
}

}  // namespace
}  // namespace hone
