#include "measure/trace/diff.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TraceOperator op(std::string path, std::string type, double us, double start = 0) {
  TraceOperator made;
  made.op_path = std::move(path);
  made.op_type = std::move(type);
  made.duration_us = us;
  made.traced_start_us = start;
  return made;
}

OpTrace trace_of(std::vector<TraceOperator> operators) {
  OpTrace trace;
  trace.status = TraceStatus::ok;
  for (const TraceOperator& one : operators) trace.summary.accounted_us += one.duration_us;
  trace.summary.total_us = trace.summary.accounted_us;
  trace.operators = std::move(operators);
  return trace;
}

TEST(TraceDiff, MatchesOperatorsByTheirPath) {
  const TraceDiff diff = diff_traces(trace_of({op("a", "Conv", 10), op("b", "Add", 4)}),
                                     trace_of({op("b", "Add", 5), op("a", "Conv", 3)}));
  ASSERT_EQ(diff.operators.size(), 2u);
  EXPECT_EQ(diff.operators[0].op_path, "a") << "the largest change first";
  EXPECT_EQ(diff.operators[0].before_us, 10);
  EXPECT_EQ(diff.operators[0].after_us, 3);
  EXPECT_EQ(diff.operators[0].delta_us, -7);
  EXPECT_EQ(diff.operators[0].match, TraceMatch::path);
  EXPECT_EQ(diff.before.accounted_us, 14);
  EXPECT_EQ(diff.after.accounted_us, 8);
  EXPECT_TRUE(diff.notes.empty());
}

TEST(TraceDiff, MatchesWhatIsLeftByTypeInTheOrderItRan) {
  const TraceDiff diff = diff_traces(
      trace_of({op("late", "Conv", 20, 9), op("early", "Conv", 10, 1), op("same", "Conv", 7)}),
      trace_of({op("x", "Conv", 11, 1), op("y", "Conv", 25, 9), op("same", "Conv", 7)}));
  ASSERT_EQ(diff.operators.size(), 3u);
  EXPECT_EQ(diff.operators[0].op_path, "y");
  EXPECT_EQ(diff.operators[0].before_path, "late");
  EXPECT_EQ(diff.operators[0].match, TraceMatch::type);
  EXPECT_EQ(diff.operators[0].delta_us, 5);
  EXPECT_EQ(diff.operators[1].before_path, "early");
  EXPECT_EQ(diff.operators[2].op_path, "same");
  EXPECT_FALSE(diff.operators[2].before_path);
}

TEST(TraceDiff, ShowsWhatWentAndWhatCame) {
  const TraceDiff diff =
      diff_traces(trace_of({op("relu", "Relu", 5)}), trace_of({op("fused", "FusedConv", 8)}));
  ASSERT_EQ(diff.operators.size(), 2u);
  EXPECT_EQ(diff.operators[0].match, TraceMatch::only_after);
  EXPECT_EQ(diff.operators[0].delta_us, 8);
  EXPECT_FALSE(diff.operators[0].before_us);
  EXPECT_EQ(diff.operators[1].match, TraceMatch::only_before);
  EXPECT_EQ(diff.operators[1].delta_us, -5);
}

TEST(TraceDiff, PairsOperatorsOfOneNameOnceEach) {
  const TraceDiff diff = diff_traces(trace_of({op("a", "Conv", 1), op("a", "Conv", 2, 5)}),
                                     trace_of({op("a", "Conv", 1), op("a", "Conv", 9, 5)}));
  ASSERT_EQ(diff.operators.size(), 2u);
  EXPECT_EQ(diff.operators[0].delta_us, 7);
  EXPECT_EQ(diff.operators[1].delta_us, 0);
}

TEST(TraceDiff, OfATraceAgainstItselfIsNothing) {
  const OpTrace trace = trace_of({op("a", "Conv", 1), op("b", "Conv", 2)});
  for (const TraceDiffRow& row : diff_traces(trace, trace).operators) EXPECT_EQ(row.delta_us, 0);
}

TEST(TraceDiff, WarnsWhereTheTwoAreNotOnOneScale) {
  const OpTrace before = trace_of({op("a", "Conv", 1)});
  OpTrace after = before;
  after.summary.correction.emplace();
  after.metadata.source = TraceSource::qnn_csv;
  EXPECT_EQ(
      diff_traces(before, after).notes,
      (std::vector<std::string>{
          "only the trace after is reconciled with an untraced run: the two are not on one scale",
          "the traces come from different tracers: ort_profile and qnn_csv"}));
}

}  // namespace
}  // namespace hone
