#include "base/json_trim.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string trimmed(const char* text) {
  const auto is_default = [](std::string_view key, const Json& member) {
    return key != "keep" && is_empty(member);
  };
  return without_defaults(Json::parse(text).value(), is_default).dump(-1);
}

TEST(WithoutDefaults, LeavesOutEmptyMembersAtAnyDepth) {
  EXPECT_EQ(trimmed(R"({"a":null,"b":"","c":[],"d":{},"e":{"f":{"g":""}},"h":[{"i":null,"j":1}]})"),
            R"({"h":[{"j":1}]})");
}

TEST(WithoutDefaults, KeepsFalseZeroAndWhatIsAskedFor) {
  EXPECT_EQ(trimmed(R"({"a":false,"b":0,"keep":""})"), R"({"a":false,"b":0,"keep":""})");
}

TEST(WithoutDefaults, KeepsTheElementsOfLists) {
  EXPECT_EQ(trimmed(R"(["",null,[],{"a":""}])"), R"(["",null,[],{}])");
}

}  // namespace
}  // namespace hone
