#include "flow/proof/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;

TEST(Repeat, SaysWhereAModelRunsAndOnWhichShapes) {
  PerfOrder order;
  order.model = "m.onnx";
  order.iterations = 50;
  order.shape_config = "x=1,3";
  order.where.ep = "qnn";
  order.where.device = "npu";
  order.where.ep_options = {{"htp", "burst"}};
  order.where.session_options = {{"session.k", "v"}};
  order.where.threads = 2;
  EXPECT_THAT(words_of(order),
              ElementsAre("perf", "m.onnx", "--iterations", "50", "--ep", "qnn", "--device", "npu",
                          "--ep-options", "htp=burst", "--threads", "2", "--session-options",
                          "session.k=v", "--shape-config", "x=1,3"));
}

TEST(Repeat, NamesTheDeviceAndTheOptionsOfAnArm) {
  CompareOrder order;
  CompareArm& arm = order.arms.emplace_back();
  arm.name = "built";
  arm.model = "m.onnx";
  order.where.ep = "sim";
  order.where.device = "npu";
  order.where.ep_options = {{"deny", "Softmax"}};
  order.most_seconds = 15;
  EXPECT_THAT(
      words_of(order),
      ElementsAre("compare", "--arm", "built:model=m.onnx,ep=sim,device=npu,option.deny=Softmax",
                  "--max-time", "15"));
}

std::string drop_word(double drop) {
  TaskOrder order;
  order.max_drop = drop;
  Words words = words_of(order);
  return *(std::ranges::find(words, "--max-drop") + 1);
}

TEST(Repeat, ShowsADropAsBundlesDoUnlessThatWouldRoundIt) {
  EXPECT_EQ(drop_word(0.01), "0.010000");
  EXPECT_EQ(drop_word(1e-7), "1e-07");
  EXPECT_EQ(drop_word(0.0123456789), "0.0123456789");
}

TEST(Repeat, NamesFoldersOfOursByWhatTheyAre) {
  EXPECT_EQ(command_of({"perf", "/tmp/a b/build/model.onnx", "x"}, {{"/tmp/a b", "work"}}),
            "hone perf work/build/model.onnx x");
  EXPECT_EQ(command_of({"inspect", "a b"}, {}), "hone inspect 'a b'");
}

}  // namespace
}  // namespace hone
