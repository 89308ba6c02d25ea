#include "flow/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"
#include "flow/inspect.h"
#include "flow/strip.h"

namespace hone {
namespace {

constexpr auto bert = "tests/fixtures/zoo/bert-tiny.opset17.onnx";

class AModelOfAnother : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("made").value();
};

TEST_F(AModelOfAnother, IsInTheOpsetThatWasAskedFor) {
  const auto made = convert_model({.model = bert, .output = path("new.onnx"), .opset = 21});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->from, 17);
  EXPECT_EQ(made->to, 21);
  const auto facts = facts_of_model(path("new.onnx"), {});
  ASSERT_TRUE(facts) << facts.error().what;
  EXPECT_EQ(facts->opsets.at("ai.onnx"), 21);
  EXPECT_EQ(facts->ir_version, made->ir_version);
}

TEST_F(AModelOfAnother, IsNotWrittenOverOneThatIsThere) {
  ASSERT_TRUE(write_file(path("new.onnx"), "precious"));
  EXPECT_FALSE(convert_model({.model = bert, .output = path("new.onnx"), .opset = 21}));
  EXPECT_EQ(read_file(path("new.onnx")).value(), "precious");
}

TEST_F(AModelOfAnother, LeavesNothingWhereItsWeightsAreNotThereToBeTakenOut) {
  // The models of the zoo have none of their weights.
  const auto made = strip_model({.model = bert, .output = path("bare.onnx")}, {});
  ASSERT_FALSE(made);
  EXPECT_FALSE(std::filesystem::exists(path("bare.onnx")));
  EXPECT_FALSE(std::filesystem::exists(path("bare.stats.json")));
}

TEST_F(AModelOfAnother, LeavesWhatWasTakenOutAsStatistics) {
  const auto made = strip_model(
      {.model = "tests/fixtures/golden/weights/float.onnx", .output = path("bare.onnx")}, {});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_GT(made->tensors, 0u);
  EXPECT_EQ(made->stats, path("bare.stats.json"));
  EXPECT_TRUE(std::filesystem::exists(made->stats));
  EXPECT_EQ(facts_of_model(path("bare.onnx"), {})->absent_weight_bytes, made->bytes);
}

}  // namespace
}  // namespace hone
