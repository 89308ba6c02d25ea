#include "report/search/plan_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(PlanText, ListsWhatWouldBeTriedAndWhatNotAndWhy) {
  SearchResult plan;
  plan.model = "m.onnx";
  plan.arms.resize(2);
  plan.arms[0].hypothesis.id = plan.arms[0].hypothesis.dimension = "baseline";
  plan.arms[1].hypothesis.id = "gelu-fusion";
  plan.arms[1].hypothesis.dimension = "optimize";
  plan.arms[1].hypothesis.reason = "2 places to fuse";
  plan.arms[1].hypothesis.predicted = "2 places become Gelu";
  plan.skips = {{"a", "optimize", "a", "there is nothing to fuse", {}},
                {"fp16", "precision", "fp16", "no kernels", {}},
                {"b", "optimize", "b", "there is nothing to fuse", {}}};
  EXPECT_EQ(describe_plan(plan), R"(m.onnx: 1 hypothesis beside the baseline, in this order
  baseline     baseline
  gelu-fusion  optimize  2 places to fuse; 2 places become Gelu
skipped, 3
  there is nothing to fuse: a, b
  no kernels: fp16
)");
}

}  // namespace
}  // namespace hone
