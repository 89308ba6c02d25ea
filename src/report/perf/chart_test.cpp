#include "report/perf/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;

TEST(Chart, IsEmptyBrailleWithoutPoints) {
  EXPECT_THAT(draw_chart({}, {.columns = 3, .rows = 2}), ElementsAre("⠀⠀⠀", "⠀⠀⠀"));
}

TEST(Chart, PutsZeroAtTheBottomAndHundredAtTheTop) {
  const ChartArea area{.columns = 2, .rows = 2, .from_seconds = 0, .to_seconds = 4};
  // Four dots across: one per second.
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{0, 0}}, area), ElementsAre("⠀⠀", "⡀⠀"));
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{3.5, 100}}, area), ElementsAre("⠀⠈", "⠀⠀"));
}

TEST(Chart, DrawsWhatIsBeyondAtTheEdge) {
  const ChartArea area{.columns = 1, .rows = 1, .from_seconds = 0, .to_seconds = 2};
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{0, 250}}, area), ElementsAre("⠁"));
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{0, -5}}, area), ElementsAre("⡀"));
}

TEST(Chart, PlacesPointsByTheirTimeAndNotByTheirNumber) {
  const ChartArea area{.columns = 5, .rows = 1, .from_seconds = 10, .to_seconds = 20};
  // One second per dot: 12 s is the third dot, 19 s the last but one... of ten.
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{12, 0}}, area), ElementsAre("⠀⡀⠀⠀⠀"));
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{19, 0}}, area), ElementsAre("⠀⠀⠀⠀⢀"));
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{20, 0}}, area), ElementsAre("⠀⠀⠀⠀⢀"));
}

TEST(Chart, ConnectsPointsAndEntersFromTheLeft) {
  const ChartArea area{.columns = 4, .rows = 1, .from_seconds = 0, .to_seconds = 8};
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{-4, 0}, {7, 0}}, area), ElementsAre("⣀⣀⣀⣀"));
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{0, 0}, {7, 100}}, area), ElementsAre("⣀⠤⠒⠉"));
}

TEST(Chart, LeavesOutWhatIsBeforeTheWindow) {
  const ChartArea area{.columns = 2, .rows = 1, .from_seconds = 10, .to_seconds = 20};
  EXPECT_THAT(draw_chart(std::vector<PanelPoint>{{1, 50}, {2, 50}}, area), ElementsAre("⠀⠀"));
}

TEST(TimeAxis, MarksFullSecondsWhereTheyAre) {
  const TimeAxis axis =
      draw_time_axis({.columns = 30, .rows = 4, .from_seconds = 0, .to_seconds = 15});
  EXPECT_EQ(axis.rule, "┬─────────┬─────────┬────────┬");
  EXPECT_EQ(axis.labels, "0 s       5 s       10 s  15 s");
}

TEST(TimeAxis, MovesItsMarksWithTheWindow) {
  const TimeAxis axis =
      draw_time_axis({.columns = 30, .rows = 4, .from_seconds = 3, .to_seconds = 18});
  EXPECT_EQ(axis.rule, "────┬─────────┬─────────┬─────");
  EXPECT_EQ(axis.labels, "    5 s       10 s      15 s  ");
}

TEST(TimeAxis, TakesLargerStepsWhereThereIsLittleRoom) {
  const TimeAxis axis =
      draw_time_axis({.columns = 20, .rows = 4, .from_seconds = 0, .to_seconds = 20});
  EXPECT_EQ(axis.labels, "0 s       10 s  20 s");
}

}  // namespace
}  // namespace hone
