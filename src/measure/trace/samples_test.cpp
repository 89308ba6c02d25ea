#include "measure/trace/samples.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TraceOperator op(std::string path, double us, double percent = 0) {
  TraceOperator made;
  made.op_path = std::move(path);
  made.duration_us = us;
  made.percent_of_total = percent;
  made.samples_us = {us};
  return made;
}

TEST(TraceSamples, HaveAPercentileBetweenTheTwoNearest) {
  EXPECT_EQ(percentile_of({5, 1, 3, 2, 4}, 90), 4.6);
  EXPECT_EQ(percentile_of({7}, 90), 7);
  EXPECT_EQ(percentile_of({}, 90), 0);
  EXPECT_EQ(percentile_of({2, 1}, 100), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
}

TEST(TraceSamples, AreStoodForByMeanOrMedian) {
  EXPECT_EQ(typical_of({1, 1, 10}, TraceStatistic::mean), 4);
  EXPECT_EQ(typical_of({1, 1, 10}, TraceStatistic::median), 1);
  EXPECT_EQ(mean_of({}), 0);
}

TEST(TraceSamples, GiveSharesOfAllOperators) {
  OpTrace trace;
  trace.operators = {op("a", 30), op("b", 10)};
  fill_shares(trace);
  EXPECT_EQ(trace.operators[0].percent_of_total, 75);
  EXPECT_EQ(trace.operators[1].percent_of_total, 25);
  EXPECT_EQ(trace.operators[0].p90_us, 30);
}

TEST(TraceSamples, OfNoTimeAtAllGiveNoShares) {
  OpTrace trace;
  trace.operators = {op("a", 0)};
  fill_shares(trace);
  EXPECT_EQ(trace.operators[0].percent_of_total, 0);
}

TEST(TraceSamples, AreSortedByShareAndThenByName) {
  OpTrace trace;
  trace.operators = {op("c", 1, 10), op("b", 1, 20), op("a", 1, 10)};
  trace.operators.push_back(op("a", 1, 10));
  trace.operators[2].op_id = 2;
  trace.operators[3].op_id = 1;
  sort_operators(trace);
  EXPECT_EQ(trace.operators[0].op_path, "b");
  EXPECT_EQ(trace.operators[1].op_id, 1);
  EXPECT_EQ(trace.operators[2].op_id, 2);
  EXPECT_EQ(trace.operators[3].op_path, "c");
}

}  // namespace
}  // namespace hone
