#include "flow/numerics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OutputComparison with_cosine(const std::string& name, double cosine) {
  OutputComparison output;
  output.output = name;
  output.cosine = Estimate{.value = cosine, .low = cosine, .high = 1};
  return output;
}

CompareReport report_of(std::vector<OutputComparison> outputs) {
  CompareReport report;
  report.samples = 8;
  report.outputs = std::move(outputs);
  return report;
}

TEST(Numerics, AreThoseOfTheOutputThatFaresWorst) {
  const AccuracyCheck check =
      judge_outputs(report_of({with_cosine("a", 0.999), with_cosine("b", 0.97)}), 0.95);
  EXPECT_EQ(check.verdict, CheckVerdict::pass);
  EXPECT_EQ(check.value, 0.97);
  EXPECT_EQ(check.samples, 8U);
  EXPECT_THAT(check.reason, HasSubstr("'b'"));
}

TEST(Numerics, BelowWhatIsAskedForFail) {
  const AccuracyCheck check = judge_outputs(report_of({with_cosine("a", 0.5)}), 0.95);
  EXPECT_EQ(check.verdict, CheckVerdict::fail);
  EXPECT_EQ(check.reason, "'a' has a cosine of 0.5000, and 0.950 are asked for");
}

TEST(Numerics, OfAnOutputThatCannotBeComparedFail) {
  OutputComparison other = with_cosine("a", 1);
  other.not_comparable = 1;
  other.why_not = "it has another shape";
  const AccuracyCheck check = judge_outputs(report_of({other}), 0.95);
  EXPECT_EQ(check.verdict, CheckVerdict::fail);
  EXPECT_EQ(check.reason, "'a' cannot be compared: it has another shape");
}

EvalReport task_report(Inferiority verdict) {
  EvalReport report;
  report.samples = 100;
  EvalMetric metric;
  metric.name = "top1";
  metric.model.value = 0.70;
  metric.reference = Estimate{.value = 0.71};
  MetricDifference& difference = metric.difference.emplace();
  difference.low = -0.02;
  difference.high = 0;
  report.metrics = {metric};
  report.verdict.emplace().verdict = verdict;
  return report;
}

TEST(Task, PassesWhereItDropsByLessThanIsAllowed) {
  const AccuracyCheck check = judge_task(task_report(Inferiority::pass), 1e-7);
  EXPECT_EQ(check.verdict, CheckVerdict::pass);
  EXPECT_EQ(check.metric, "top1");
  EXPECT_EQ(check.reference, 0.71);
  EXPECT_EQ(check.max_drop, 1e-7);
  EXPECT_THAT(check.interval, ElementsAre(-0.02, 0));
}

TEST(Task, ThatIsNotShownToHoldFailsAndSaysWhatWouldTell) {
  EvalReport report = task_report(Inferiority::inconclusive);
  report.verdict->samples_needed = 400;
  const AccuracyCheck check = judge_task(report, 0.01);
  EXPECT_EQ(check.verdict, CheckVerdict::fail);
  EXPECT_EQ(check.reason,
            "that top1 drops by less than is allowed is not shown; about 400 samples would tell");
  report.verdict.reset();
  EXPECT_EQ(judge_task(report, 0.01).reason,
            "that top1 drops by less than is allowed is not shown");
  EXPECT_EQ(judge_task(task_report(Inferiority::fail), 0.01).reason,
            "top1 drops by more than is allowed");
}

}  // namespace
}  // namespace hone
