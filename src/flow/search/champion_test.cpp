#include "flow/search/champion.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "pipeline/build_folder.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class AChampion : public testing::Test {
 protected:
  // The folder of a build whose model has this name.
  Path build(const std::string& name) const {
    const Path made = folder() / name;
    fs::create_directories(made);
    Model model;
    model.ir_version = 8;
    model.set_opset("", 17);
    model.graph->name = name;
    EXPECT_TRUE(save_model(model, made / "model.onnx"));
    EXPECT_TRUE(write_file(made / "recipe.json", "{}"));
    return made;
  }
  static std::string hash_of_build(const Path& made) {
    return hash_of_model_files(made / "model.onnx").value_or("");
  }
  std::string kept() const {
    const auto model = load_model(champion_of(folder()) / "model.onnx");
    return model ? model->graph->name : model.error().what;
  }
  Path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("champion").value();
};

TEST_F(AChampion, IsACopyOfItsBuildInThePlaceOfAnEarlierOne) {
  for (const char* name : {"first", "second"}) {
    const Path made = build(name);
    const Status status = keep_champion(made, folder(), hash_of_build(made));
    ASSERT_TRUE(status) << status.error().what;
    EXPECT_EQ(kept(), name);
    EXPECT_TRUE(fs::exists(champion_of(folder()) / "recipe.json"));
    EXPECT_TRUE(fs::exists(made / "model.onnx")) << "the arm may be raced again";
  }
}

TEST_F(AChampion, ThatIsNotWhatWasMeasuredLeavesTheEarlierOne) {
  const Path first = build("first");
  ASSERT_TRUE(keep_champion(first, folder(), hash_of_build(first)));
  const Path second = build("second");
  const Status refused = keep_champion(second, folder(), hash_of_build(first));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the copy of the champion is not what was measured");
  EXPECT_EQ(kept(), "first");
}

TEST_F(AChampion, WhoseBuildIsGoneLeavesTheEarlierOne) {
  const Path first = build("first");
  ASSERT_TRUE(keep_champion(first, folder(), hash_of_build(first)));
  const Status refused = keep_champion(folder() / "gone", folder(), hash_of_build(first));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "cannot keep the champion in '" + champion_of(folder()).string() + "'");
  EXPECT_EQ(kept(), "first");
}

TEST_F(AChampion, OfAnEarlierSearchGoesWhereTheBaselineShips) {
  const Path made = build("first");
  ASSERT_TRUE(keep_champion(made, folder(), hash_of_build(made)));
  EXPECT_TRUE(drop_champion(folder()));
  EXPECT_FALSE(fs::exists(champion_of(folder())));
  EXPECT_TRUE(drop_champion(folder())) << "there is none";
}

}  // namespace
}  // namespace hone
