#include "app/arm_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"
#include "report/search/repeat.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

class Arms : public testing::Test {
 protected:
  std::string make_model(const std::string& name) const {
    const Path file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    EXPECT_TRUE(write_file(file, "a model"));
    return file.string();
  }
  Result<RaceArm> arm_of(const std::string& word) const {
    HONE_TRY(const CompareArm arm, arm_of_word(word));
    HONE_TRY(GivenArm given, find_arm(arm, {}, folder_.path()));
    return std::move(given.arm);
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("arms").value();
};

TEST_F(Arms, HaveAsManyThreadsAsTheOptionTakes) {
  const std::string model = make_model("a.onnx");
  EXPECT_EQ(arm_of("a:model=" + model + ",threads=1024")->plan.threads, 1024);
  for (const char* threads : {"-3", "1025", "99999999999", "99999999999999999999", "two", ""}) {
    const auto refused = arm_of("a:model=" + model + ",threads=" + threads);
    ASSERT_FALSE(refused) << threads;
    EXPECT_THAT(refused.error().what, HasSubstr("threads")) << threads;
    EXPECT_EQ(refused.error().hint, "threads takes 0 to 1024");
  }
}

TEST_F(Arms, OfSeveralFilesOfOneNameGoByWhatWasGiven) {
  const std::string first = make_model("a/model.onnx");
  const std::string second = make_model("b/model.onnx");
  EXPECT_EQ(arm_of_build(first).name, first);
  EXPECT_NE(arm_of_build(first).name, arm_of_build(second).name);
}

TEST_F(Arms, OfABuildFolderRunAsItsRecipeSaysButForTheirOwnWords) {
  const std::string model = make_model("champion/model.onnx");
  const Path folder = Path(model).parent_path();
  Recipe recipe;
  recipe.session.threads = 2;
  recipe.session.options = {{"session.set_denormal_as_zero", "1"}};
  const Json document = to_document(recipe, recipe_schema_version);
  ASSERT_TRUE(write_file(folder / "recipe.json", document.dump() + "\n"));

  const auto whole = find_arm(arm_of_build(folder.string()), {}, folder);
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_EQ(whole->arm.plan.threads, 2);
  EXPECT_EQ(whole->arm.plan.session_options, recipe.session.options);
  EXPECT_EQ(whole->notes, std::vector{folder.string() + " by recipe.json: cpu, threads=2, " +
                                      "session.set_denormal_as_zero=1"});

  const auto order =
      arm_of_word("a:model=" + folder.string() + ",session.session.set_denormal_as_zero=0");
  ASSERT_TRUE(order) << order.error().what;
  const auto apart = find_arm(*order, {}, folder);
  ASSERT_TRUE(apart) << apart.error().what;
  EXPECT_EQ(apart->arm.plan.threads, 2);
  EXPECT_EQ(apart->arm.plan.session_options.at("session.set_denormal_as_zero"), "0");
  EXPECT_EQ(apart->notes, std::vector<std::string>{"a by recipe.json: cpu, threads=2"});
}

TEST_F(Arms, PutTheirOwnOptionsOverThoseOfAll) {
  Where all;
  all.session_options = {{"session.disable_prepacking", "1"}};
  const auto arm =
      arm_of_word("a:model=" + make_model("a.onnx") + ",session.session.disable_prepacking=0");
  ASSERT_TRUE(arm) << arm.error().what;
  const auto given = find_arm(*arm, all, ".");
  ASSERT_TRUE(given) << given.error().what;
  EXPECT_EQ(given->arm.plan.session_options.at("session.disable_prepacking"), "0");
}

TEST_F(Arms, ComeBackFromTheirWordAsTheyWere) {
  Recipe recipe;
  recipe.target = {.ep = "cuda", .device = "gpu", .options = {{"list", "1,2"}, {"path", "a\\b"}}};
  recipe.session.threads = 2;
  recipe.session.options = {{"execution_mode", "parallel"}};
  const std::string model = make_model("with, comma.onnx");
  const auto arm = arm_of(word_of_arm("champion", model, recipe));
  ASSERT_TRUE(arm) << arm.error().what;
  EXPECT_EQ(arm->name, "champion");
  EXPECT_EQ(arm->plan.model, model);
  EXPECT_EQ(arm->plan.threads, 2);
  EXPECT_EQ(arm->plan.target.ep, "cuda");
  EXPECT_EQ(arm->plan.target.device, "gpu");
  EXPECT_EQ(arm->plan.target.options, recipe.target.options);
  EXPECT_EQ(arm->plan.session_options, recipe.session.options);
}

}  // namespace
}  // namespace hone::app
