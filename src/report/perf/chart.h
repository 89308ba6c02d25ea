#pragma once
// A line chart in braille: two by four dots in each character.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/perf/panel.h"

namespace hone {

struct ChartArea {
  std::size_t columns = 60;  // characters
  std::size_t rows = 4;
  double from_seconds = 0;  // at the left edge
  double to_seconds = 15;   // at the right edge
};

// Lines from point to point, 0 % at the bottom and 100 % at the top. Each row is `columns` wide.
std::vector<std::string> draw_chart(std::span<const PanelPoint> points, const ChartArea& area);

// The axis below a chart: a rule with a mark at every full step of seconds, and their labels.
struct TimeAxis {
  std::string rule;    // "└────┬────"
  std::string labels;  // "     5 s  "
};
TimeAxis draw_time_axis(const ChartArea& area);

}  // namespace hone
