#include "base/curl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using ::testing::HasSubstr;

TEST(Curl, SaysWhatToInstallWhereItIsNotThere) {
  const auto curl = load_curl(std::to_array<std::string>({"libcurl-of-nobody.so.4"}));
  ASSERT_FALSE(curl);
  EXPECT_EQ(curl.error().fault, Fault::unsupported);
  EXPECT_THAT(curl.error().what, HasSubstr("through libcurl, which is not here"));
  EXPECT_THAT(curl.error().cause, HasSubstr("libcurl-of-nobody.so.4"));
  EXPECT_THAT(curl.error().hint, HasSubstr("apt-get install libcurl4"));
}

TEST(Curl, TakesTheFirstThatIsThere) {
  EXPECT_TRUE(load_curl(std::to_array<std::string>({"libcurl-of-nobody.so.4", "libcurl.so.4"})));
}

TEST(Curl, SaysWhatALibraryOfItsNameDoesNotHave) {
  const auto curl = load_curl(std::to_array<std::string>({"libm.so.6"}));
  ASSERT_FALSE(curl);
  EXPECT_THAT(curl.error().what, HasSubstr("has no function curl_global_init"));
}

TEST(Curl, IsTheSameForEverybody) { EXPECT_EQ(*this_curl(), *this_curl()); }

}  // namespace
}  // namespace hone
