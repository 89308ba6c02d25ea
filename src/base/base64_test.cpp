#include "base/base64.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Base64, FollowsTheExamplesOfItsStandard) {
  for (const auto& [bytes, text] : std::map<std::string, std::string>{{"", ""},
                                                                      {"f", "Zg=="},
                                                                      {"fo", "Zm8="},
                                                                      {"foo", "Zm9v"},
                                                                      {"foob", "Zm9vYg=="},
                                                                      {"fooba", "Zm9vYmE="},
                                                                      {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, CarriesEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"A", "Zm9v!", "Zm 9v", "====", "Zg=a", "\xFF\xFF"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
  EXPECT_EQ(from_base64("Zg"), "f");
}

}  // namespace
}  // namespace hone
