#include "report/compare/compare_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

Comparison example() {
  Comparison comparison;
  comparison.baseline = "float";
  comparison.baseline_ms = 10;
  comparison.sessions = 8;
  comparison.pairs = 64;
  comparison.noise_floor = 0.012;
  ComparedArm slow;
  slow.name = "slow";
  slow.verdict = Verdict::slower;
  slow.decided_at = 6;
  slow.ratio = 3.17;
  slow.interval = {3.06, 3.27};
  slow.median_ms = 31.7;
  comparison.arms = {slow};
  return comparison;
}

TEST(CompareText, SaysAtHowManySessionsAVerdictWasReached) {
  EXPECT_THAT(describe_comparison(example()),
              HasSubstr("slower (at 6 sessions)  3.1700 x [3.0600, 3.2700]  31.7 ms\n"));
  Comparison comparison = example();
  comparison.sessions = 6;
  EXPECT_THAT(describe_comparison(comparison), HasSubstr("slower    3.1700 x"));
}

TEST(CompareText, SaysWhatOtherWorkUsed) {
  Comparison comparison = example();
  EXPECT_THAT(describe_comparison(comparison), Not(HasSubstr("other work")));
  comparison.load = {.others_share = 0.004, .steal_share = 0};
  EXPECT_THAT(describe_comparison(comparison),
              HasSubstr("\nother work used less than 1 % of the CPU while this ran\n"));
  comparison.load.others_share = 0.43;
  EXPECT_THAT(describe_comparison(comparison),
              HasSubstr("\nother work used 43 % of the CPU while this ran: intervals are wider "
                        "than they could be, and a small difference is missed\n"));
}

TEST(CompareText, SaysWithinWhatAnArmIsEquivalentWhereTheNoiseDecided) {
  Comparison comparison = example();
  comparison.noise_floor = 0.1449;
  comparison.arms[0].verdict = Verdict::equivalent;
  comparison.arms[0].decided_at = 8;
  comparison.arms[0].interval = {0.8785, 1.1419};
  EXPECT_THAT(describe_comparison(comparison), HasSubstr("equivalent within 14.49 %  "));
  comparison.arms[0].interval = {0.995, 1.005};
  EXPECT_THAT(describe_comparison(comparison), Not(HasSubstr(" within ")));
}

TEST(CompareText, HasNoIntervalWhereItWouldSayNothing) {
  Comparison comparison = example();
  comparison.arms[0].interval = {0.00000001, 32238200023093932.0};
  EXPECT_THAT(describe_comparison(comparison),
              HasSubstr("3.1700 x [too few sessions for an interval]  31.7 ms\n"));
  comparison.arms[0].interval = {0.1, 99};
  EXPECT_THAT(describe_comparison(comparison), HasSubstr("3.1700 x [0.1000, 99.0000]"));
}

TEST(CompareText, HasNoIntervalForOneSession) {
  Comparison comparison = example();
  comparison.arms[0].interval.clear();
  comparison.sessions = 1;
  EXPECT_THAT(describe_comparison(comparison), HasSubstr("3.1700 x  31.7 ms\n"));
  EXPECT_THAT(describe_comparison(comparison), Not(HasSubstr("would find")));
}

}  // namespace
}  // namespace hone
