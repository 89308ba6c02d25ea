#include "report/perf/panel.h"

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "report/perf/chart.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t most_charts = 2;
constexpr std::size_t scale_width = 5;  // "100 ┤"
constexpr std::size_t least_columns = 24;
constexpr std::size_t bar_width = 30;

std::string coloured(const std::string& text, const char* code, const PanelStyle& style) {
  return style.has_colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}
constexpr auto cyan = "36";
constexpr auto green = "32";

std::string milliseconds(double value) { return text_form::duration(value * 1000); }
std::string percent(double value) { return text_form::fixed(value, 0) + " %"; }

// Joined by two spaces; empty parts are left out.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += "  ";
    text += part;
  }
  return text;
}

// At most `columns` characters of plain text.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_a_character = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts_a_character && characters++ == columns) return text.substr(0, i);
  }
  return text;
}

ChartArea area_of(const PanelState& state, const PanelStyle& style) {
  ChartArea area;
  area.columns = std::max(style.columns, least_columns) - scale_width;
  area.rows = style.chart_rows;
  // The chart fills from the left and begins to move when it is full.
  area.from_seconds = std::max(0.0, state.now_seconds - style.window_seconds);
  area.to_seconds = area.from_seconds + style.window_seconds;
  return area;
}

std::string scale_of(std::size_t row, std::size_t rows) {
  if (row == 0) return "100 ┤";
  if (row + 1 == rows) return "  0 ┤";
  if (rows % 2 == 1 && row == rows / 2) return " 50 ┤";
  return "    │";
}

std::string describe_series(const PanelSeries& series) {
  if (series.points.empty()) return printable(series.label) + "  no reading yet";
  double sum = 0;
  for (const PanelPoint& point : series.points) sum += point.percent;
  return joined({printable(series.label) + " " + percent(series.points.back().percent),
                 "mean " + percent(sum / static_cast<double>(series.points.size()))});
}

void add_charts(const PanelState& state, const PanelStyle& style, std::vector<std::string>& lines) {
  if (state.series.empty()) return;
  const ChartArea area = area_of(state, style);
  for (std::size_t i = 0; i < state.series.size(); ++i) {
    const PanelSeries& series = state.series[i];
    lines.push_back(cut(describe_series(series), style.columns));
    if (i >= most_charts) continue;
    const std::vector<std::string> rows = draw_chart(series.points, area);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      lines.push_back(scale_of(row, rows.size()) + coloured(rows[row], cyan, style));
    }
    if (i + 1 == std::min(most_charts, state.series.size())) {
      const TimeAxis axis = draw_time_axis(area);
      lines.push_back("    └" + axis.rule);
      lines.push_back("     " + axis.labels);
    }
  }
}

std::string bar(double share, const PanelStyle& style) {
  const auto filled = static_cast<std::size_t>(std::lround(share * bar_width));
  std::string full;
  std::string empty;
  for (std::size_t i = 0; i < bar_width; ++i) (i < filled ? full : empty) += i < filled ? "█" : "░";
  return coloured(full, green, style) + empty;
}

std::string phase_name(PanelPhase phase) {
  switch (phase) {
    case PanelPhase::loading:
      return "loading";
    case PanelPhase::warming_up:
      return "warming up";
    case PanelPhase::measuring:
      return "measuring";
    case PanelPhase::finished:
      return "finished";
  }
  return {};
}

std::string count_of(const PanelState& state) {
  if (state.phase == PanelPhase::loading) return {};
  if (state.total > 0) {
    return format_count(state.done) + " of " + counted(state.total, "iteration");
  }
  return counted(state.done, "iteration");
}

std::string time_of(const PanelState& state) {
  if (!state.duration_seconds) return {};
  return text_form::fixed(state.measured_seconds, 1) + " of " +
         text_form::fixed(*state.duration_seconds, 1) + " s";
}

std::string progress_line(const PanelState& state, const PanelStyle& style) {
  const std::optional<double> share = progress_of(state);
  const std::string counts = joined({phase_name(state.phase), share ? percent(*share * 100) : "",
                                     count_of(state), time_of(state)});
  // The bar is the first to go where there is little room.
  const bool has_room = bar_width + 2 + counts.size() <= style.columns;
  if (share && has_room) return bar(*share, style) + "  " + counts;
  return cut(counts, style.columns);
}

std::string latency_line(const PanelState& state) {
  return joined(
      {state.last_ms ? "latency " + milliseconds(*state.last_ms) : "",
       state.mean_ms ? "mean " + milliseconds(*state.mean_ms) : "",
       state.batches_per_second
           ? text_form::fixed(*state.batches_per_second, *state.batches_per_second < 100 ? 1 : 0) +
                 " runs/s"
           : ""});
}

std::string memory_line(const PanelState& state) {
  const auto megabytes = [](double value) { return text_form::fixed(value, 0) + " MB"; };
  return joined({state.memory_mb ? "memory " + megabytes(*state.memory_mb) : "",
                 state.peak_memory_mb ? "peak " + megabytes(*state.peak_memory_mb) : ""});
}

}  // namespace

std::optional<double> progress_of(const PanelState& state) {
  if (state.phase == PanelPhase::finished) return 1;
  if (state.phase == PanelPhase::loading) return std::nullopt;
  if (state.duration_seconds && *state.duration_seconds > 0) {
    return std::clamp(state.measured_seconds / *state.duration_seconds, 0.0, 1.0);
  }
  if (state.total == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
}

std::vector<std::string> render_panel(const PanelState& state, const PanelStyle& style) {
  std::vector<std::string> lines;
  lines.push_back(
      cut(joined({printable(state.title), text_form::fixed(state.now_seconds, 1) + " s"}),
          style.columns));
  add_charts(state, style, lines);
  lines.push_back(progress_line(state, style));
  for (const std::string& line : {latency_line(state), memory_line(state)}) {
    if (!line.empty()) lines.push_back(cut(line, style.columns));
  }
  return lines;
}

std::string render_plain_line(const PanelState& state) {
  std::vector<std::string> parts;
  for (const std::string& part : {count_of(state), time_of(state), latency_line(state)}) {
    if (!part.empty()) parts.push_back(part);
  }
  const std::string rest = join(parts, ", ");
  return phase_name(state.phase) + (rest.empty() ? "" : ": " + rest);
}

}  // namespace hone
