#include "pipeline/coverage_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

BuildCoverage with_unsupported(std::size_t count) {
  BuildCoverage coverage;
  coverage.ep = "qnn";
  coverage.rules = "qnn.json";
  coverage.counts.supported = 7;
  coverage.counts.unsupported = count;
  for (std::size_t i = 0; i < count; ++i) {
    coverage.unsupported.push_back({"node" + std::to_string(i), "FusedConv", "com.microsoft",
                                    Support::unsupported, "the EP has no builder for it", "rule"});
  }
  return coverage;
}

TEST(CoverageGate, HoldsWhereNothingIsKnownToBeRefused) {
  BuildCoverage coverage = with_unsupported(0);
  coverage.counts.unknown = 3;
  coverage.unknown = {{"Foo", 3}};
  EXPECT_TRUE(judge_coverage(coverage));
}

TEST(CoverageGate, FailsWithNodesOpsAndReasons) {
  const Status judged = judge_coverage(with_unsupported(1));
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().fault, Fault::not_held);
  EXPECT_EQ(judged.error().trouble, Trouble::no_kernel);
  EXPECT_EQ(judged.error().what, "qnn does not take 1 node of 8, by qnn.json");
  EXPECT_EQ(judged.error().cause, "node0 (com.microsoft.FusedConv): the EP has no builder for it");
  EXPECT_THAT(judged.error().hint, HasSubstr("--allow-unsupported"));
  EXPECT_THAT(judged.error().hint, Not(HasSubstr("--enable")));
}

TEST(CoverageGate, SaysWhatWouldHelpAndHowManyMoreThereAre) {
  BuildCoverage coverage = with_unsupported(11);
  coverage.remedies = {"unfuse-conv-activation"};
  const Status judged = judge_coverage(coverage);
  ASSERT_FALSE(judged);
  EXPECT_THAT(judged.error().cause, HasSubstr("\nand 3 more"));
  EXPECT_THAT(judged.error().hint, HasSubstr("--enable unfuse-conv-activation writes it in"));
}

}  // namespace
}  // namespace hone
