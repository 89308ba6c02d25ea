#include "flow/capability_switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SwitchesInAFile : public testing::Test {
 protected:
  Status read(const std::string& text) {
    EXPECT_TRUE(write_file(file_, text));
    order_ = {};
    order_.enabled = {"gelu-fusion"};
    return add_switches_of(file_, order_);
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("switches");
  Path file_ = folder_.path() / "flags.json";
  OptimizeOrder order_;
};

TEST_F(SwitchesInAFile, StandAloneOrBelowOneOfTwoNames) {
  for (const std::string& text :
       {std::string(R"({"bias_gelu_fusion": true, "matmul-bn-fusion": false})"),
        std::string(R"({"optim": {"bias_gelu_fusion": true, "matmul-bn-fusion": false}})"),
        std::string(
            R"({"capabilities": {"bias_gelu_fusion": true, "matmul-bn-fusion": false}})")}) {
    const Status status = read(text);
    ASSERT_TRUE(status) << text << ": " << status.error().what;
    EXPECT_THAT(order_.enabled, ElementsAre("gelu-fusion", "bias-gelu-fusion"));
    EXPECT_THAT(order_.disabled, ElementsAre("matmul-bn-fusion"));
  }
}

TEST_F(SwitchesInAFile, AreReadBackAsAnalyzingSuggestsThem) {
  Analysis analysis;
  analysis.suggestions.emplace_back().capability = "bias_gelu_fusion";
  ASSERT_TRUE(read(switches_for(analysis).dump()));
  EXPECT_THAT(order_.enabled, ElementsAre("gelu-fusion", "bias-gelu-fusion"));
  EXPECT_THAT(order_.disabled, IsEmpty());
}

TEST_F(SwitchesInAFile, AreRefusedWhereTheySayNothingThatCanBeSwitched) {
  EXPECT_THAT(read("[]").error().what, HasSubstr("holds no capabilities"));
  EXPECT_THAT(read(R"({"optim": 1})").error().what, HasSubstr("holds no capabilities"));
  EXPECT_THAT(read(R"({"gelu_fusion": 1})").error().what, HasSubstr("is neither true nor false"));
  EXPECT_THAT(read(R"({"gelu_fusio": true})").error().hint, HasSubstr("gelu-fusion"));
  EXPECT_FALSE(read("{"));
}

}  // namespace
}  // namespace hone
