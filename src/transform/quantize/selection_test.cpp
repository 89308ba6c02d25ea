#include "transform/quantize/selection.h"

#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

TEST(Globs, MatchAsInAShell) {
  EXPECT_TRUE(matches_glob("/encoder/*", "/encoder/layer.0/MatMul"));
  EXPECT_TRUE(matches_glob("*MatMul", "/encoder/layer.0/MatMul"));
  EXPECT_TRUE(matches_glob("layer.?", "layer.0"));
  EXPECT_TRUE(matches_glob("*a*b*", "xxaxxbxx"));
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("layer.?", "layer.10"));
  EXPECT_FALSE(matches_glob("*b*a", "ab"));
  EXPECT_FALSE(matches_glob("", "a"));
}

class Selection : public testing::Test {
 protected:
  Model model_ = parse_text(R"(<opset_import: ["": 17]> g (float[2] x) => (float[2] y) {
      [first] a = Relu(x)
      b = Tanh(a)
      [last] y = Mul(a, b) })")
                     .value();
  QuantizeSettings settings_{.preset = *find_preset("ort")};

  std::string selected() const {
    std::string ops;
    for (const Node& node : model_.graph->nodes()) {
      if (is_selected(node, settings_)) ops += node.op_type + " ";
    }
    return ops;
  }
};

TEST_F(Selection, IsWhatThePresetTakes) { EXPECT_EQ(selected(), "Relu Mul "); }

TEST_F(Selection, LeavesOutWhatIsExcludedByNameOrOp) {
  settings_.exclude = {"fir*"};
  EXPECT_EQ(selected(), "Mul ");
  settings_.exclude = {"Mul"};
  EXPECT_EQ(selected(), "Relu ");
}

TEST_F(Selection, IsExactlyWhatIsIncludedEvenBeyondThePreset) {
  settings_.include = {"Tanh", "last"};
  EXPECT_EQ(selected(), "Tanh Mul ");
}

TEST_F(Selection, ReachesANodeWithoutANameByItsOutput) {
  settings_.include = {"b"};
  EXPECT_EQ(selected(), "Tanh ");
}

TEST_F(Selection, RefusesAWordThatMeansNothing) {
  EXPECT_TRUE(check_words(model_, {"first", "Tanh", "l?st"}, "--include"));
  const Status status = check_words(model_, {"frist"}, "--include");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "--include 'frist' means no node of the model");
  EXPECT_EQ(status.error().hint, "did you mean 'first'?");
}

}  // namespace
}  // namespace hone
