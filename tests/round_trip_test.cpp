// Every model of the zoo, with its weights filled in, and every tiny model: load, save, load, and
// opset there and back.

#include <gtest/gtest.h>

#include "base/file.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "model/opset/convert.h"
#include "tests/fixture_models.h"

namespace hone {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto filled = with_weights(GetParam(), folder_.path());
    ASSERT_TRUE(filled) << filled.error().what << ": " << filled.error().cause;
    path_ = *filled;
  }

  static Digest content_of(const Model& model) {
    const auto digest = content_fingerprint(model);
    EXPECT_TRUE(digest) << digest.error().what;
    return digest ? *digest : Digest{};
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("round-trip");
  Path path_;
};

TEST_P(EveryModel, SurvivesLoadSaveLoadAndOpsetThereAndBack) {
  auto model = load_model(path_);
  ASSERT_TRUE(model) << model.error().what << ": " << model.error().cause;
  const Digest content = content_of(*model);

  ASSERT_TRUE(save_model(*model, folder_.path() / "saved.onnx"));
  const auto saved = load_model(folder_.path() / "saved.onnx");
  ASSERT_TRUE(saved) << saved.error().what;
  EXPECT_EQ(content_of(*saved), content);

  const auto here = static_cast<int>(model->opset());
  const int there = here == 17 ? 21 : 17;
  const auto away = convert_opset(*model, there);
  if (!away) {
    // A refusal must name node, op and reason, and leave the model alone.
    EXPECT_EQ(away.error().fault, Fault::unsupported);
    EXPECT_NE(away.error().what.find("("), std::string::npos) << away.error().what;
    EXPECT_EQ(content_of(*model), content);
    std::printf("refused: %s\n", away.error().what.c_str());
    return;
  }
  EXPECT_EQ(model->opset(), there);
  // Down and up again may write an op differently (a Gelu taken apart stays so); up and down may
  // not.
  if (there < here) return;
  const auto back = convert_opset(*model, here);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(content_of(*model), content);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, EveryModel, testing::ValuesIn(fixture_models()), fixture_name);

}  // namespace
}  // namespace hone
