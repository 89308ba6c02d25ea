#include "report/eval/eval_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Estimate estimate(double value, double low, double high) {
  return {.value = value, .low = low, .high = high};
}

EvalReport report_on(Inferiority verdict, std::optional<std::uint64_t> needed) {
  EvalReport report;
  report.task = "text-recognition";
  report.model = "q.onnx";
  report.reference = "f.onnx";
  report.data = "lines";
  report.samples = 300;
  EvalMetric metric{.name = "exact_line",
                    .model = estimate(0.97, 0.944, 0.984),
                    .reference = estimate(0.99, 0.971, 0.997),
                    .difference = {}};
  metric.difference = {.value = -0.02, .low = -0.0381, .high = -0.007, .lost = 7, .gained = 1};
  report.metrics = {metric};
  report.verdict = {
      .metric = "exact_line", .max_drop = 0.03, .verdict = verdict, .samples_needed = needed};
  return report;
}

TEST(EvaluationText, ShowsBothModelsTheirDifferenceAndTheVerdict) {
  EXPECT_EQ(
      describe_evaluation(report_on(Inferiority::inconclusive, 984)),
      "q.onnx: text-recognition on 300 samples of lines, 95 % intervals\n"
      "              model                  reference              difference, points\n"
      "  exact_line  97.0 % (94.4 to 98.4)  99.0 % (97.1 to 99.7)  "
      "-2.00, above -3.81 (7 lost, 1 gained)\n"
      "inconclusive: that exact_line drops by less than 3.00 points is not shown; it may drop "
      "by 3.81; about 984 samples would tell\n");
}

TEST(EvaluationText, SaysWhatWasShown) {
  EXPECT_TRUE(describe_evaluation(report_on(Inferiority::pass, {}))
                  .ends_with("pass: exact_line drops by less than 3.00 points, shown\n"));
  EXPECT_TRUE(describe_evaluation(report_on(Inferiority::fail, {}))
                  .ends_with("fail: exact_line drops by more than 3.00 points, shown\n"));
}

TEST(EvaluationText, ListsTheFirstMissesWithoutControlCharacters) {
  EvalReport report = report_on(Inferiority::pass, {});
  for (std::uint64_t i = 0; i < 9; ++i) report.misses.push_back({i, "well", "we\x1b[2Jll"});
  const std::string text = describe_evaluation(report);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("\n  4 "), std::string::npos);
  EXPECT_EQ(text.find("\n  5 "), std::string::npos);
}

TEST(ComparisonText, SaysWhenOutputsAreIdentical) {
  CompareReport report;
  report.model = "a.onnx";
  report.reference = "b.onnx";
  report.samples = 2;
  report.samples_from = "seed 0";
  OutputComparison same;
  same.output = "y";
  same.samples = same.identical = 2;
  report.outputs.push_back(same);
  EXPECT_EQ(describe_comparison(report),
            "a.onnx beside b.onnx, 2 samples (seed 0), mean and 95 % interval\n"
            "y: identical on every sample\n");
}

TEST(ComparisonText, HasAFigureWithItsIntervalPerLine) {
  CompareReport report;
  report.samples = 8;
  report.outputs.emplace_back();
  report.outputs[0].samples = 8;
  report.outputs[0].sqnr_db = estimate(31.25, 30.04, 32.46);
  report.outputs[0].max_abs = estimate(0.00123, 0.001, 0.00150);
  report.outputs[0].top1_agreement = estimate(1, 0.676, 1);
  const std::string text = describe_comparison(report);
  EXPECT_NE(text.find("31.2 (30.0 to 32.5)"), std::string::npos) << text;
  EXPECT_NE(text.find("0.00123 (0.00100 to 0.00150)"), std::string::npos) << text;
  EXPECT_NE(text.find("100.0 % (67.6 to 100.0)"), std::string::npos) << text;
  EXPECT_NE(text.find("PSNR dB          -"), std::string::npos) << text;
}

TEST(ComparisonText, SaysWhyAnOutputCannotBeCompared) {
  CompareReport report;
  report.outputs.emplace_back();
  report.outputs[0].samples = 8;
  report.outputs[0].not_comparable = 2;
  report.outputs[0].why_not = "[2,2] where the reference has [1,3]";
  const std::string text = describe_comparison(report);
  EXPECT_NE(text.find("not comparable  2 samples: [2,2] where the reference has [1,3]\n"),
            std::string::npos)
      << text;
}

// "difference -0.0000 to -0.0000" says a direction where there is none.
TEST(ComparisonText, GivesNoSignToWhatIsRoundedToZero) {
  CompareReport report;
  report.outputs.emplace_back();
  report.outputs[0].samples = 8;
  report.outputs[0].cosine = estimate(-1e-17, -1e-16, 1e-16);
  EXPECT_EQ(describe_comparison(report).find("-0.0"), std::string::npos);
}

}  // namespace
}  // namespace hone
