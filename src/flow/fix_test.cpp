#include "flow/fix.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace hone {
namespace {

class AFix : public testing::Test {
 protected:
  AFix() { EXPECT_TRUE(write_file(folder_.path() / "model.onnx", "a model")); }
  FixOrder order() const {
    FixOrder order;
    order.model = (folder_.path() / "model.onnx").string();
    order.target_sqnr_db = 40;
    order.overrides = (folder_.path() / "fix.json").string();
    return order;
  }
  static std::string refusal_of(const FixOrder& order) {
    const auto fixed = fix_model(order, Watch{});
    return fixed ? "" : fixed.error().what;
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("fix").value();
};

TEST_F(AFix, NeedsOneMeasureOfWhatIsEnough) {
  const std::string asked = "--fix needs --target-sqnr DB, or --metric TASK with --data DIR";
  FixOrder none = order();
  none.target_sqnr_db.reset();
  EXPECT_EQ(refusal_of(none), asked);
  FixOrder both = order();
  both.task = "image-classification";
  EXPECT_EQ(refusal_of(both), asked);
  both.target_sqnr_db.reset();
  EXPECT_EQ(refusal_of(both), "--metric needs --data DIR");
}

TEST_F(AFix, LeavesAFileThatIsThereUnlessItMayBeReplaced) {
  const FixOrder first = order();
  ASSERT_TRUE(write_file(first.overrides, "precious"));
  EXPECT_EQ(refusal_of(first), "'" + first.overrides + "' exists already");
  EXPECT_EQ(read_file(first.overrides).value(), "precious");
}

TEST_F(AFix, ArrivesInAnotherProcessAsItWas) {
  FixOrder sent = order();
  sent.max_drop = 1e-7;
  sent.quantize.precisions = {"w8a8"};
  sent.quantize.calibration_data = "samples.npz";
  const auto text = Json::parse(to_json(sent).dump(-1));
  ASSERT_TRUE(text) << text.error().what;
  const auto arrived = from_json<FixOrder>(*text);
  ASSERT_TRUE(arrived) << arrived.error().what;
  EXPECT_EQ(arrived->max_drop, 1e-7);
  EXPECT_EQ(to_json(*arrived).dump(), to_json(sent).dump());
}

}  // namespace
}  // namespace hone
