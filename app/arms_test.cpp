#include "app/arms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"

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
    HONE_TRY(GivenArm given, arm_of_word(word, {}, folder_.path()));
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
  EXPECT_EQ(arm_of_build(first, {})->arm.name, first);
  EXPECT_NE(arm_of_build(first, {})->arm.name, arm_of_build(second, {})->arm.name);
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
