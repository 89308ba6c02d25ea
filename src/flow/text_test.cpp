#include "flow/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system_files.h"
#include "flow/inspect.h"

namespace hone {
namespace {

using testing::HasSubstr;

class ATextOfAModel : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  Result<std::uint64_t> write(const std::string& text) const {
    EXPECT_TRUE(write_file(path("net.txt"), text));
    return write_text_as_model({.text = path("net.txt"), .output = path("net.onnx")});
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("text").value();
};

TEST_F(ATextOfAModel, BecomesTheModelThatItSays) {
  const auto bytes = write(
      "<ir_version: 8, opset_import: [\"\": 17]> net (float[2] x) => (float[2] y)"
      "<float[2] w = {1, 2}> { y = Mul(x, w) }");
  ASSERT_TRUE(bytes) << bytes.error().what;
  const auto facts = facts_of_model(path("net.onnx"), {});
  ASSERT_TRUE(facts) << facts.error().what;
  EXPECT_EQ(facts->opsets.at("ai.onnx"), 17);
  EXPECT_EQ(std::filesystem::file_size(path("net.onnx")), *bytes);
}

TEST_F(ATextOfAModel, ThatLeavesSomethingOutIsRefusedWithThePlace) {
  const auto bytes = write("net (float[9] x) => (y)\n<float[9] w = {1, 2, ...}> { y = Mul(x, w) }");
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().what, HasSubstr("is no model in ONNX's text syntax"));
  EXPECT_THAT(bytes.error().cause, HasSubstr("line 2"));
  EXPECT_FALSE(std::filesystem::exists(path("net.onnx")));
}

TEST_F(ATextOfAModel, IsNotWrittenOverOneThatIsThere) {
  ASSERT_TRUE(write_file(path("net.onnx"), "precious"));
  EXPECT_FALSE(write("net (float[2] x) => (float[2] y) { y = Relu(x) }"));
  EXPECT_EQ(read_file(path("net.onnx")).value(), "precious");
}

}  // namespace
}  // namespace hone
