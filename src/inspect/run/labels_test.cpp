#include "inspect/run/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ClassNames : public testing::Test {
 protected:
  Result<Labels> read(const std::string& text) {
    const Path file = folder_.path() / "labels";
    EXPECT_TRUE(write_file(file, text));
    return read_labels(file);
  }
  TemporaryFolder folder_ = *TemporaryFolder::create("labels");
};

TEST_F(ClassNames, AreLinesOrJson) {
  EXPECT_THAT(read("cat\r\n dog \n\n")->names, ElementsAre("cat", "dog"));
  EXPECT_THAT(read(R"(["cat", "dog"])")->names, ElementsAre("cat", "dog"));
  EXPECT_THAT(read(R"({"1": "dog", "0": "cat"})")->names, ElementsAre("cat", "dog"));
  EXPECT_THAT(read(R"({"x": 1, "id2label": {"0": "cat", "2": "dog"}})")->names,
              ElementsAre("cat", "", "dog"));
}

TEST_F(ClassNames, ThatAreNoneAreRefusedWithTheReason) {
  const auto cause = [&](const std::string& text) {
    const auto labels = read(text);
    EXPECT_FALSE(labels) << text;
    return labels ? "" : labels.error().cause;
  };
  EXPECT_EQ(cause(" \n"), "it is empty");
  EXPECT_EQ(cause("[]"), "it names no class");
  EXPECT_EQ(cause("{}"), "it names no class");
  EXPECT_EQ(cause(R"(["cat", 1])"), "a label is text, not a number");
  EXPECT_EQ(cause(R"(["cat", null])"), "a label is text, not null");
  EXPECT_EQ(cause(R"({"cat": "0"})"), "'cat' is no number of a class");
  EXPECT_EQ(cause(R"({"4294967296": "cat"})"), "it has a class 4294967296");
  EXPECT_THAT(cause("[NaN]"), HasSubstr("line 1"));
  EXPECT_THAT(cause(R"({"0": "cat")"), HasSubstr("line 1"));
}

TEST_F(ClassNames, AreFoundInTheConfigBesideTheModelOrAboveItsFolder) {
  const Path model = folder_.path() / "model.onnx";
  EXPECT_FALSE(find_labels({}, model));
  ASSERT_TRUE(write_file(folder_.path() / "config.json", R"({"id2label": {"0": "a", "1": "b"}})"));
  EXPECT_THAT(find_labels({}, model)->names, ElementsAre("a", "b"));
  std::filesystem::create_directories(folder_.path() / "onnx");
  std::filesystem::create_directories(folder_.path() / "other");
  EXPECT_TRUE(find_labels({}, folder_.path() / "onnx/model.onnx"));
  EXPECT_FALSE(find_labels({}, folder_.path() / "other/model.onnx"));
}

TEST_F(ClassNames, ThatNobodyAskedForAreNoErrorWhenTheyCannotBeRead) {
  for (const char* text : {"{", "[1]", R"({"id2label": {"0": 1}})", R"({"id2label": 3})"}) {
    ASSERT_TRUE(write_file(folder_.path() / "config.json", text));
    EXPECT_FALSE(find_labels({}, folder_.path() / "model.onnx")) << text;
  }
}

TEST_F(ClassNames, AreReadAsPythonPrintsThem) {
  EXPECT_THAT(*parse_python_names(R"({0: 'person', 1: "dog's", 2: 'it\'s'})"),
              ElementsAre("person", "dog's", "it's"));
  Model model;
  model.metadata = {{"names", "{0: 'person'}"}};
  EXPECT_EQ(find_labels(model, folder_.path() / "model.onnx")->from, "`names` of the model");
  for (const char* text : {"", "{", "{0: 'a", "{0: }", "{0 'a'}", "{'a': 'b'}", "['a']", "{}",
                           "{99999999999999999999: 'a'}"}) {
    EXPECT_FALSE(parse_python_names(text)) << text;
  }
}

}  // namespace
}  // namespace hone
