#include "knowledge/version.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

bool is_inside(const char* version, const char* range) {
  return is_within(*parse_version(version), *parse_version_bounds(range));
}

TEST(Versions, AreNumbersBetweenDots) {
  EXPECT_EQ(parse_version("2.2450.47.0"), (Version{2, 2450, 47, 0}));
  for (const char* text : {"", "1.", "v1", "1.x", "1.-2", "99999999999"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
}

TEST(Versions, AreInsideOfARangeAsFarAsBothAreTold) {
  EXPECT_TRUE(is_inside("1.24.5", ">=1.24 <1.25"));
  EXPECT_FALSE(is_inside("1.25.0", ">=1.24 <1.25"));
  EXPECT_FALSE(is_inside("1.9", ">=1.24"));
  EXPECT_TRUE(is_inside("1.24.5", "==1.24"));
  EXPECT_FALSE(is_inside("1.24.5", "!=1.24"));
}

TEST(Versions, RefuseARangeThatIsNone) {
  for (const char* text : {"", "1.24", ">=", ">= 1.24", "=>1.24", ">=1.24  <2", "if new"}) {
    EXPECT_FALSE(parse_version_bounds(text)) << text;
  }
}

TEST(Versions, ShareAMajorOrMinorOnlyWhereBothAreKnown) {
  EXPECT_TRUE(is_same_major("2.31.0", "2.40"));
  EXPECT_FALSE(is_same_major("2.31.0", "3.31"));
  EXPECT_FALSE(is_same_major("", ""));
  EXPECT_TRUE(is_same_minor("1.24.5", "1.24"));
  EXPECT_FALSE(is_same_minor("1.24.5", "1.25.5"));
  EXPECT_FALSE(is_same_minor("1", "1")) << "the minor of 1 is not known";
}

}  // namespace
}  // namespace hone
