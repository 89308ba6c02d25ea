#include "report/perf/panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/perf/painter.h"

namespace hone {
namespace {

using testing::ElementsAre;

PanelState measuring() {
  PanelState state{.title = "resnet50.onnx on qnn/npu", .now_seconds = 7.5};
  state.phase = PanelPhase::measuring;
  state.done = 470;
  state.total = 1000;
  state.last_ms = 3.18;
  state.mean_ms = 3.214;
  state.batches_per_second = 311.1;
  state.memory_mb = 670.2;
  state.peak_memory_mb = 702;
  return state;
}

TEST(Panel, ShowsProgressLatencyAndMemory) {
  EXPECT_THAT(
      render_panel(measuring(), {}),
      ElementsAre("resnet50.onnx on qnn/npu  7.5 s",
                  "██████████████░░░░░░░░░░░░░░░░  measuring  47 %  470 of 1,000 iterations",
                  "latency 3.18 ms  mean 3.21 ms  311 runs/s", "memory 670 MB  peak 702 MB"));
}

TEST(Panel, ChartsUtilisationOverRealSeconds) {
  PanelState state = measuring();
  PanelSeries npu{.label = "npu"};
  for (int second = 0; second <= 7; ++second) npu.points.push_back({double(second), 50});
  npu.points.push_back({7.5, 80});
  state.series = {npu};
  const auto lines = render_panel(state, {.columns = 35, .chart_rows = 3});
  EXPECT_THAT(lines, ElementsAre("resnet50.onnx on qnn/npu  7.5 s",      //
                                 "npu 80 %  mean 53 %",                  //
                                 "100 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⢀⠄⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀",  //
                                 " 50 ┤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀",  //
                                 "  0 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀",  //
                                 "    └┬─────────┬─────────┬────────┬",  //
                                 "     0 s       5 s       10 s  15 s",  //
                                 "measuring  47 %  470 of 1,000 itera",  //
                                 "latency 3.18 ms  mean 3.21 ms  311 ",  //
                                 "memory 670 MB  peak 702 MB"));
}

TEST(Panel, MovesTheWindowWhenItIsFull) {
  PanelState state = measuring();
  state.now_seconds = 18;
  state.series = {{.label = "cpu", .points = {{18, 0}}}};
  const auto lines = render_panel(state, {.columns = 35, .chart_rows = 1});
  EXPECT_EQ(lines[3], "    └────┬─────────┬─────────┬─────");
  EXPECT_EQ(lines[4], "         5 s       10 s      15 s  ");
}

TEST(Panel, ChartsTwoSeriesAndNamesTheRest) {
  PanelState state = measuring();
  const std::vector<PanelPoint> points = {{1, 10}};
  state.series = {{"npu", points}, {"cpu", points}, {"gpu", points}};
  const auto lines = render_panel(state, {.columns = 40, .chart_rows = 2});
  EXPECT_EQ(lines[1], "npu 10 %  mean 10 %");
  EXPECT_EQ(lines[4], "cpu 10 %  mean 10 %");
  EXPECT_EQ(lines[9], "gpu 10 %  mean 10 %");
  EXPECT_EQ(lines.size(), 13u);
}

TEST(Panel, SaysThatThereIsNoReadingYet) {
  PanelState state = measuring();
  state.series = {{.label = "npu"}};
  EXPECT_EQ(render_panel(state, {})[1], "npu  no reading yet");
}

TEST(Panel, CountsTimeInARunByDuration) {
  PanelState state = measuring();
  state.total = 0;
  state.duration_seconds = 10;
  state.measured_seconds = 3.2;
  EXPECT_EQ(render_panel(state, {.columns = 90})[1],
            "██████████░░░░░░░░░░░░░░░░░░░░  measuring  32 %  470 iterations  3.2 of 10.0 s");
}

TEST(Panel, ShowsLoadingWithoutInventingProgress) {
  const PanelState state{.title = "m.onnx on cpu", .now_seconds = 0.5};
  EXPECT_THAT(render_panel(state, {}), ElementsAre("m.onnx on cpu  0.5 s", "loading"));
}

TEST(Panel, IsFullWhenFinished) {
  PanelState state = measuring();
  state.phase = PanelPhase::finished;
  state.done = 1000;
  EXPECT_EQ(render_panel(state, {})[1],
            "██████████████████████████████  finished  100 %  1,000 of 1,000 iterations");
}

TEST(Panel, IsNeverWiderThanTheTerminal) {
  PanelState state = measuring();
  state.title = std::string(300, 'x');
  state.series = {{.label = std::string(300, 'y'), .points = {{1, 10}}}};
  for (const std::string& line : render_panel(state, {.columns = 40})) {
    std::size_t characters = 0;
    for (const char c : line) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    EXPECT_LE(characters, 40u) << line;
  }
}

TEST(Panel, MakesControlCharactersOfANameVisible) {
  PanelState state = measuring();
  state.title = "evil\x1b[2Jname";
  EXPECT_EQ(render_panel(state, {})[0], "evil\\x1b[2Jname  7.5 s");
}

TEST(Panel, UsesColourOnlyWhenAsked) {
  PanelState state = measuring();
  state.series = {{.label = "npu", .points = {{1, 10}}}};
  for (const std::string& line : render_panel(state, {})) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
  const auto coloured = render_panel(state, {.has_colour = true});
  EXPECT_THAT(coloured[2], testing::StartsWith("100 ┤\x1b[36m"));
  EXPECT_THAT(coloured[2], testing::EndsWith("\x1b[0m"));
}

TEST(PlainLine, SaysTheSameInOneLine) {
  EXPECT_EQ(render_plain_line(measuring()),
            "measuring: 470 of 1,000 iterations, latency 3.18 ms  mean 3.21 ms  311 runs/s");
  EXPECT_EQ(render_plain_line({.title = "m.onnx"}), "loading");
}

TEST(PlainProgress, SpeaksOncePerPhaseAndPerTenth) {
  PlainProgress progress;
  PanelState state{.title = "m"};
  EXPECT_EQ(progress.next(state), "loading");
  EXPECT_EQ(progress.next(state), std::nullopt);
  state.phase = PanelPhase::measuring;
  state.total = 100;
  EXPECT_EQ(progress.next(state), "measuring: 0 of 100 iterations");
  state.done = 9;
  EXPECT_EQ(progress.next(state), std::nullopt);
  state.done = 31;
  EXPECT_EQ(progress.next(state), "measuring: 31 of 100 iterations");
  state.done = 39;
  EXPECT_EQ(progress.next(state), std::nullopt);
  state.phase = PanelPhase::finished;
  state.done = 100;
  EXPECT_EQ(progress.next(state), "finished: 100 of 100 iterations");
  EXPECT_EQ(progress.next(state), std::nullopt);
}

TEST(PanelPainter, PaintsOverTheFrameBefore) {
  std::vector<std::string> written;
  PanelPainter painter([&](std::string_view text) { written.emplace_back(text); });
  painter.paint({"a", "b"});
  painter.paint({"c", "d"});
  EXPECT_THAT(written, ElementsAre("\r\x1b[2Ka\n\r\x1b[2Kb\n", "\x1b[2A\r\x1b[2Kc\n\r\x1b[2Kd\n"));
}

TEST(PanelPainter, ClearsWhatAHigherFrameLeftBelow) {
  std::vector<std::string> written;
  PanelPainter painter([&](std::string_view text) { written.emplace_back(text); });
  painter.paint({"a", "b", "c"});
  painter.paint({"d"});
  painter.paint({"e"});
  EXPECT_EQ(written[1], "\x1b[3A\r\x1b[2Kd\n\x1b[J");
  EXPECT_EQ(written[2], "\x1b[1A\r\x1b[2Ke\n");
}

}  // namespace
}  // namespace hone
