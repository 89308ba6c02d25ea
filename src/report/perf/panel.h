#pragma once
// The live view of a measurement: a pure function from what is known to lines of text. Nothing here
// looks at a clock or a terminal.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

struct PanelPoint {
  double seconds = 0;  // since the measurement began
  double percent = 0;  // 0 to 100; what is beyond is drawn at the edge
};

// Utilisation of one thing over time.
struct PanelSeries {
  std::string label;  // "npu", "cpu"
  std::vector<PanelPoint> points{};
};

enum class PanelPhase { loading, warming_up, measuring, finished };

struct PanelState {
  std::string title;  // "resnet50.onnx on qnn/npu"
  double now_seconds = 0;
  std::vector<PanelSeries> series{};  // the first two get a chart
  PanelPhase phase = PanelPhase::loading;
  std::uint64_t done = 0;                    // iterations of this phase
  std::uint64_t total = 0;                   // 0: not known
  std::optional<double> duration_seconds{};  // a run by time: how long, and for how long already
  double measured_seconds = 0;
  std::optional<double> last_ms{};
  std::optional<double> mean_ms{};
  std::optional<double> batches_per_second{};
  std::optional<double> memory_mb{};
  std::optional<double> peak_memory_mb{};
};

struct PanelStyle {
  std::size_t columns = 80;    // of the terminal; no line is wider
  std::size_t chart_rows = 4;  // of one chart
  double window_seconds = 15;  // what a chart shows
  bool has_colour = false;
};

std::vector<std::string> render_panel(const PanelState& state, const PanelStyle& style);

// "measuring: 470 of 1,000 iterations, 3.18 ms": for a log in place of a terminal.
std::string render_plain_line(const PanelState& state);

// The share of the phase that is done, 0 to 1; nothing where that is not known.
std::optional<double> progress_of(const PanelState& state);

}  // namespace hone
