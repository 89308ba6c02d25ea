#include "base/utc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::MatchesRegex;

TEST(Utc, IsWrittenAsRecordsHaveIt) {
  EXPECT_THAT(utc_now(), MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:"
                                      "[0-6][0-9]Z"));
}

TEST(Utc, TodayIsTheBeginningOfNow) {
  const std::string before = utc_today();
  const std::string now = utc_now();
  // Unless midnight is between the two.
  EXPECT_TRUE(now.starts_with(before) || now.starts_with(utc_today())) << before << " " << now;
}

}  // namespace
}  // namespace hone
