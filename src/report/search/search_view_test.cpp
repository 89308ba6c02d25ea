#include "report/search/search_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/search/searches_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

ComparedArm speed(Verdict verdict, double low, double ratio, double high) {
  return *compared_arm_for_test("w8a8", verdict, low, ratio, high).confirmed;
}

TEST(SearchSentence, HasOneForEachVerdict) {
  EXPECT_EQ(search_view::sentence("w8a8", speed(Verdict::faster, 0.629, 0.643, 0.658)),
            "w8a8 is 1.56 times as fast as the baseline (1.52 to 1.59).");
  EXPECT_EQ(search_view::sentence("w8a8", speed(Verdict::faster, 0.981, 0.988, 0.995)),
            "w8a8 is 1.01 times as fast as the baseline (1.01 to 1.02), not shown to be worth "
            "keeping.");
  EXPECT_EQ(search_view::sentence("w8a8", speed(Verdict::slower, 1.1, 1.2, 1.3)),
            "w8a8 is slower: it takes 1.200 of the baseline's time (1.100 to 1.300).");
  EXPECT_EQ(search_view::sentence("w8a8", speed(Verdict::equivalent, 0.995, 1, 1.004)),
            "w8a8 is as fast as the baseline: it takes 1.000 of the baseline's time (0.995 to "
            "1.004).");
  ComparedArm open = speed(Verdict::inconclusive, 0.9, 0.98, 1.1);
  open.reason = "the time was over";
  open.more_sessions = 34;
  EXPECT_EQ(search_view::sentence("w8a8", open),
            "Whether w8a8 is faster is not shown: it takes 0.980 of the baseline's time (0.900 to "
            "1.100); the time was over; about 34 more sessions would decide.");
}

TEST(SearchHeadline, IsTheSearchsOwnWhereItHasOne) {
  SearchResult result = won_search();
  result.verdict = "w8a8 ships.";
  EXPECT_EQ(search_view::headline(result), "w8a8 ships.");
}

TEST(SearchHeadline, SaysWhyTheBaselineShips) {
  SearchResult result = null_search();
  EXPECT_EQ(search_view::headline(result),
            "No arm was shown to be worth keeping against the baseline: the baseline ships.");
  result.arms.resize(1);
  EXPECT_EQ(search_view::headline(result),
            "No arm came as far as a comparison with the baseline: the baseline ships.");
  result = won_search();
  result.champion.reset();
  EXPECT_THAT(search_view::headline(result),
              HasSubstr("w8a8-entropy was faster, but its accuracy is not shown to hold (fail: "
                        "exact_lines 0.9120, reference 0.9810"));
}

TEST(SearchHeadline, SaysWhyNothingShips) {
  EXPECT_EQ(search_view::headline(blocked_search()),
            "The baseline does not run (the worker ended with signal 11), so nothing could be "
            "compared with it and nothing ships.");
  EXPECT_EQ(search_view::headline(SearchResult{}),
            "The search never began: not even the baseline is among its arms.");
  EXPECT_EQ(search_view::what_ships(blocked_search()), search_view::Ships::nothing);
}

TEST(SearchView, WhatAnArmDidWhileRacingIsNoSpeed) {
  SearchArm arm = compared_arm_for_test("w8a8", Verdict::faster, 0.6, 0.7, 0.8);
  arm.outcome = ArmOutcome::raced_out;
  arm.screen_ratio = 0.5;
  EXPECT_EQ(search_view::speed_of(arm), nullptr);
}

TEST(SearchView, AnUnsoundIntervalIsNone) {
  EXPECT_FALSE(search_view::interval_of(speed(Verdict::faster, 0.9, 0.8, 0.7)));
  EXPECT_FALSE(search_view::interval_of(speed(Verdict::faster, -1, 0.8, 0.9)));
  ComparedArm without = speed(Verdict::faster, 0.7, 0.8, 0.9);
  without.interval.clear();
  EXPECT_FALSE(search_view::interval_of(without));
  EXPECT_EQ(search_view::ratio_text(without), "0.800");
}

TEST(SearchView, SaysWhatAnAccuracyCheckRestsOn) {
  EXPECT_EQ(search_view::accuracy_text({}), "not checked");
  EXPECT_EQ(search_view::accuracy_text(accuracy_for_test(CheckVerdict::pass, 0.978)),
            "pass: exact_lines 0.9780, reference 0.9810, difference -0.0070 to +0.0010, 300 "
            "samples");
  AccuracyCheck blocked;
  blocked.reason = "no task is known";
  EXPECT_EQ(search_view::accuracy_text(blocked), "blocked: no task is known");
}

TEST(SearchView, ADifferenceOfNothingHasNoSign) {
  AccuracyCheck check = accuracy_for_test(CheckVerdict::pass, 1);
  check.interval = {-1e-9, -2e-9};
  EXPECT_THAT(search_view::accuracy_text(check), HasSubstr(", no difference to four places"));
  check.interval = {-0.002, -1e-9};
  EXPECT_THAT(search_view::accuracy_text(check), HasSubstr(", difference -0.0020 to 0,"));
}

TEST(SearchView, ADifferenceWhoseEndsAreTheSameIsOneNumber) {
  AccuracyCheck check = accuracy_for_test(CheckVerdict::pass, 1);
  check.interval = {-0.00022, -0.00018};
  EXPECT_THAT(search_view::accuracy_text(check), HasSubstr(", difference -0.0002,"));
}

TEST(SearchView, AMachineWithoutACertificateIsToldHowToGetOne) {
  EXPECT_EQ(search_view::certificate_text({}), "not certified: run hone doctor noise");
  EXPECT_EQ(
      search_view::certificate_text(won_search().certificate),
      "on cpu/cpu, 0 of 119 searches over identical candidates kept one: at most 2.49 % do (95 % "
      "confidence), 2026-01-02T03:04:05Z");
}

}  // namespace
}  // namespace hone
