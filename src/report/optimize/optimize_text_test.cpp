#include "report/optimize/optimize_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

OptimizeReport report_with(const std::string& name, CapabilityEffect effect) {
  OptimizeReport report;
  report.model = "m.onnx";
  report.nodes_before = 1300;
  report.nodes_after = 12;
  report.capabilities.emplace(name, std::move(effect));
  return report;
}

TEST(OptimizeText, SaysWhatChanged) {
  OptimizeReport report = report_with("hard_swish_fusion", {"hone", true, true, 28, {}, {}});
  report.op_changes = {{"Clip", -28}, {"HardSwish", 28}, {"Add", -1}};
  EXPECT_EQ(describe_optimize(report),
            "m.onnx: 1,300 -> 12 nodes, 0 bytes -> 0 bytes of weights\n"
            "  Clip -28, HardSwish +28, Add -1\n"
            "  hard-swish-fusion: 28 times\n");
}

TEST(OptimizeText, CountsNodesForOptimizersOfOnnxRuntime) {
  EXPECT_THAT(describe_optimize(report_with("gelu_fusion", {"onnxruntime", true, true, 1, {}, {}})),
              HasSubstr("gelu-fusion: 1 node fewer\n"));
}

TEST(OptimizeText, NamesWhatWasAskedForAndChangedNothing) {
  const OptimizeReport report =
      report_with("gelu_fusion", {"hone", true, false, 0, {{"a", "why"}, {"b", "why"}}, {}});
  EXPECT_THAT(describe_optimize(report),
              HasSubstr("gelu-fusion: changed nothing (2 declined; --explain says why)\n"));
  EXPECT_THAT(describe_optimize(report, {.explains = true}),
              HasSubstr("declined 2 nodes, a first: why\n"));
}

TEST(OptimizeText, NamesWhatWasLeftOutAndWhy) {
  CapabilityEffect effect;
  effect.asked = true;
  effect.left_out_because = "with it outputs differ by 2.5e-01 of their largest value";
  EXPECT_THAT(describe_optimize(report_with("gelu_fusion", effect)),
              HasSubstr("  gelu-fusion: LEFT OUT, with it outputs differ by 2.5e-01 of their "
                        "largest value\n"));
}

TEST(OptimizeText, SaysNothingOfDefaultsThatDidNothing) {
  EXPECT_THAT(
      describe_optimize(report_with("constant_folding", {"onnxruntime", false, false, 0, {}, {}})),
      Not(HasSubstr("constant-folding")));
}

TEST(OptimizeText, SaysHowFarOutputsAreApart) {
  Verification verification;
  verification.promise = "close";
  verification.tolerance = 1e-4;
  verification.samples = 2;
  OutputDifference& y = verification.outputs.emplace_back();
  y.output = "y";
  y.relative = 0.25;
  EXPECT_EQ(describe_verification(verification),
            "NOT verified: outputs differ by 2.5e-01 of their largest value (allowed: 1.0e-04), "
            "2 samples\n");
  y.sqnr_db = 30;
  y.own_sqnr_db = 32;
  y.judged = 2;
  verification.holds = true;
  verification.margin_db = 6;
  verification.least_own_db = 20;
  EXPECT_EQ(describe_verification(verification),
            "verified: outputs differ by 2.5e-01 of their largest value (allowed: 1.0e-04, or 26.0 "
            "dB by its own rounding noise; it is at 30.0 dB), 2 samples\n");
  y.judged = 1;
  EXPECT_THAT(describe_verification(verification),
              HasSubstr("), judged on 1 of them: on the others rounding alone is above 20.0 dB, 2 "
                        "samples\n"));
  y.judged = 0;
  y.own_sqnr_db = 2;
  verification.holds = false;
  EXPECT_EQ(describe_verification(verification),
            "NOT verified: 'y' differs by 2.5e-01 of its largest value, and rounding alone does as "
            "much: flipping the last bits of inputs and weights leaves 2.0 dB, and below 20.0 dB a "
            "sample tells nothing, 2 samples\n");
  y.is_equal = true;
  verification.holds = true;
  verification.samples = 1;
  EXPECT_EQ(describe_verification(verification),
            "verified: outputs are equal bit for bit, 1 sample\n");
}

TEST(OptimizeText, NamesTheSuspectOfABisection) {
  BisectReport report;
  report.model = "m.onnx";
  report.levels.push_back({"basic", 0.5, false, std::nullopt});
  report.suspects.push_back({"GeluFusionL2", "basic", false, 0.5, 0.0, ""});
  EXPECT_EQ(describe_bisect(report),
            "m.onnx: outputs at each level against those without any\n"
            "  basic: 5.0e-01 of the largest value\n"
            "  without GeluFusionL2 it is 0.0e+00\n");
  report.is_interrupted = true;
  report.steps = 7;
  EXPECT_THAT(describe_bisect(report), HasSubstr("\ninterrupted after 7 sessions\n"));
}

}  // namespace
}  // namespace hone
