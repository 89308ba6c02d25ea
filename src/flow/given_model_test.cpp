#include "flow/given_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"
#include "pipeline/build_folder.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ABuildFolder : public testing::Test {
 protected:
  ABuildFolder() {
    EXPECT_TRUE(write_file(folder_.path() / "model.onnx", "a model"));
    recipe_.session.options = {{"session.set_denormal_as_zero", "1"}};
  }
  void keep_recipe() const {
    const Json document = to_document(recipe_, recipe_schema_version);
    EXPECT_TRUE(write_file(folder_.path() / "recipe.json", document.dump() + "\n"));
  }
  GivenModel find(const Where& said = {}) const {
    keep_recipe();
    auto found = find_model(given(), said);
    EXPECT_TRUE(found) << found.error().what;
    return std::move(found).value_or(GivenModel());
  }
  std::string given() const { return folder_.path().string(); }

  Recipe recipe_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("build").value();
};

TEST_F(ABuildFolder, RunsAsItsRecipeSays) {
  recipe_.target = {.ep = "qnn", .device = "npu", .options = {{"htp_performance_mode", "burst"}}};
  recipe_.session.threads = 2;
  const GivenModel model = find();
  const auto plan = plan_of(model);
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->model, given() + "/model.onnx");
  EXPECT_EQ(plan->target.ep, "qnn");
  EXPECT_EQ(plan->target.device, "npu");
  EXPECT_EQ(plan->target.options, recipe_.target.options);
  EXPECT_EQ(plan->threads, 2);
  EXPECT_EQ(plan->session_options, recipe_.session.options);
  EXPECT_THAT(model.notes,
              ElementsAre("by recipe.json: qnn/npu, threads=2, "
                          "htp_performance_mode=burst, session.set_denormal_as_zero=1"));
}

TEST_F(ABuildFolder, RunsAsWasSaidBeforeWhatItsRecipeSays) {
  recipe_.session.threads = 2;
  Where said;
  said.threads = 0;
  said.session_options = {{"session.set_denormal_as_zero", "0"},
                          {"session.disable_prepacking", "1"}};
  const GivenModel model = find(said);
  const auto plan = plan_of(model);
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->threads, 0);
  EXPECT_EQ(plan->session_options.at("session.set_denormal_as_zero"), "0");
  EXPECT_EQ(plan->session_options.at("session.disable_prepacking"), "1");
  EXPECT_THAT(model.notes, IsEmpty());
}

TEST_F(ABuildFolder, GivesAnotherEpNoneOfItsOwnEpsOptions) {
  recipe_.target = {.ep = "qnn", .device = "npu", .options = {{"htp_performance_mode", "burst"}}};
  Where said;
  said.ep = "cpu";
  const GivenModel model = find(said);
  const auto plan = plan_of(model);
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->target.ep, "cpu");
  EXPECT_EQ(plan->target.device, "auto");
  EXPECT_TRUE(plan->target.options.empty());
  EXPECT_THAT(model.notes, ElementsAre("by recipe.json: session.set_denormal_as_zero=1"));
}

// A folder may come from a registry.
TEST_F(ABuildFolder, NamesNoLibraryToLoadAndNoFileToWrite) {
  recipe_.target = {
      .ep = "qnn", .device = "auto", .options = {{"backend_path", "evil.so"}, {"vtcm_mb", "8"}}};
  recipe_.session.options = {{"session.collect_node_memory_stats_to_file", "passwd"},
                             {"session.intra_op_thread_affinities", "/etc"}};
  const GivenModel model = find();
  const auto plan = plan_of(model);
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_THAT(plan->target.options,
              ElementsAre(std::pair<const std::string, std::string>("vtcm_mb", "8")));
  EXPECT_TRUE(plan->session_options.empty());
  ASSERT_EQ(model.notes.size(), 4U);
  EXPECT_EQ(model.notes[0], "by recipe.json: qnn, vtcm_mb=8");
  EXPECT_EQ(model.notes[1],
            "recipe.json also says backend_path=evil.so, which names a file and is not taken from "
            "a folder: --ep-options backend_path=evil.so uses it");
}

TEST_F(ABuildFolder, IsNotRemarkedOnWhereItsModelAloneRunsTheSame) {
  recipe_.session.options.clear();
  EXPECT_THAT(find().notes, IsEmpty());
}

TEST_F(ABuildFolder, WithARecipeThatIsNoneIsRefused) {
  EXPECT_TRUE(write_file(Path(given()) / "recipe.json", "{\"pancakes\": 4}"));
  const auto found = find_model(given(), {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what, HasSubstr("recipe.json' is no recipe"));
  EXPECT_EQ(found.error().hint, "'" + given() + "/model.onnx' alone is run without it");
}

TEST_F(ABuildFolder, HasAModelThatAloneRunsWithoutTheRecipe) {
  keep_recipe();
  const auto found = find_model(given() + "/model.onnx", {});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->recipe);
  EXPECT_TRUE(plan_of(*found)->session_options.empty());
}

TEST_F(ABuildFolder, IsReadByItsReceiptWhereItWasKilledBetweenModelAndRecipe) {
  keep_recipe();  // of the build before
  BuildReceipt receipt;
  receipt.recipe.session.threads = 3;
  receipt.final_artifact = "stages/1-normalize/model.onnx";
  const Path stage = Path(given()) / *receipt.final_artifact;
  std::filesystem::create_directories(stage.parent_path());
  ASSERT_TRUE(write_file(stage, "the new model"));
  ASSERT_TRUE(write_receipt(given(), receipt));
  const auto model = find_model(given(), {});
  ASSERT_TRUE(model) << model.error().what;
  EXPECT_EQ(model->file, stage);
  EXPECT_EQ(model->recipe->session.threads, 3);
  EXPECT_TRUE(model->recipe->session.options.empty());
}

}  // namespace
}  // namespace hone
