#include "flow/perf_panel.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ThePanelOfAMeasurement, CountsRunsOfThePhaseThatGoesOn) {
  PerfLive live;
  LoopPlan loop;
  loop.warmup = 10;
  loop.iterations = 100;
  PerfPanel panel(live, "model.onnx on cpu", loop);
  live.phase = PerfPhase::warming_up;
  live.meter.warmup = 4;
  EXPECT_EQ(panel.look().done, 4u);
  EXPECT_EQ(panel.look().total, 10u);
  live.phase = PerfPhase::measuring;
  live.meter.iterations = 50;
  live.meter.measured_ns = 100'000'000;
  const PanelState state = panel.look();
  EXPECT_EQ(state.done, 50u);
  EXPECT_EQ(state.total, 100u);
  EXPECT_DOUBLE_EQ(*state.mean_ms, 2);
  EXPECT_DOUBLE_EQ(*state.batches_per_second, 500);
}

TEST(ThePanelOfAMeasurement, HasNoTotalWhereTimeIsTheLimit) {
  PerfLive live;
  LoopPlan loop;
  loop.iterations = 100;
  loop.duration = std::chrono::seconds(5);
  PerfPanel panel(live, "model.onnx on cpu", loop);
  live.phase = PerfPhase::measuring;
  const PanelState state = panel.look();
  EXPECT_EQ(state.total, 0u);
  EXPECT_DOUBLE_EQ(*state.duration_seconds, 5);
  EXPECT_FALSE(state.mean_ms);
}

}  // namespace
}  // namespace hone
