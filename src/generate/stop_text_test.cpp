#include "generate/stop_text.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::HasSubstr;

TEST(StopTexts, AreFoundAcrossPiecesAndNotShown) {
  StopText stop = *StopText::open({"END"});
  EXPECT_EQ(stop.add("so E"), "so ");
  EXPECT_EQ(stop.add("N"), "");
  EXPECT_EQ(stop.add("D and more"), "");
  EXPECT_TRUE(stop.is_seen());
  EXPECT_EQ(stop.finish(), "");
}

TEST(StopTexts, WhatOnlyLooksLikeOneIsShownLater) {
  StopText stop = *StopText::open({"END"});
  EXPECT_EQ(stop.add("E"), "");
  EXPECT_EQ(stop.add("EN"), "E");
  EXPECT_EQ(stop.add("T"), "ENT");
  EXPECT_EQ(stop.add(" E"), " ");
  EXPECT_EQ(stop.finish(), "E");
  EXPECT_FALSE(stop.is_seen());
}

TEST(StopTexts, TheFirstInTheTextCounts) {
  StopText stop = *StopText::open({"c", "bc"});
  EXPECT_EQ(stop.add("abc"), "a");
}

TEST(StopTexts, MayBeCharactersOfSeveralBytes) {
  StopText stop = *StopText::open({"é"});
  EXPECT_EQ(stop.add("caf"), "caf");
  EXPECT_EQ(stop.add("\xC3\xA8"), "\xC3\xA8") << "è shares its first byte";
  EXPECT_EQ(stop.add("é!"), "");
  EXPECT_TRUE(stop.is_seen());
}

TEST(StopTexts, AreWholeCharactersAndNotEmpty) {
  EXPECT_THAT(StopText::open({"\xC3"}).error().what, HasSubstr("no UTF-8"));
  EXPECT_THAT(StopText::open({""}).error().what, HasSubstr("empty"));
}

}  // namespace
}  // namespace hone
