#include "report/perf/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace hone {
namespace {

constexpr std::size_t dots_across = 2;
constexpr std::size_t dots_down = 4;

// The bit of each dot in a braille character, by row and column (Unicode, block 2800).
constexpr std::array<std::array<unsigned, dots_across>, dots_down> dot_bits = {
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows)
      : columns_(columns), rows_(rows), cells_(columns * rows, 0) {}

  // x grows to the right, y upwards.
  void set(long x, long y) {
    const long across = static_cast<long>(columns_ * dots_across);
    const long down = static_cast<long>(rows_ * dots_down);
    if (x < 0 || y < 0 || x >= across || y >= down) return;
    const auto column = static_cast<std::size_t>(x);
    const auto row = static_cast<std::size_t>(down - 1 - y);
    cells_[row / dots_down * columns_ + column / dots_across] |=
        dot_bits[row % dots_down][column % dots_across];
  }

  std::vector<std::string> rows() const {
    std::vector<std::string> lines;
    for (std::size_t row = 0; row < rows_; ++row) {
      std::string line;
      for (std::size_t column = 0; column < columns_; ++column) {
        append_braille(line, cells_[row * columns_ + column]);
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  static void append_braille(std::string& line, unsigned bits) {
    line += '\xE2';  // U+2800 + bits, in UTF-8
    line += static_cast<char>(0xA0 | (bits >> 6));
    line += static_cast<char>(0x80 | (bits & 0x3F));
  }

  std::size_t columns_;
  std::size_t rows_;
  std::vector<unsigned> cells_;
};

struct Dot {
  long x = 0;
  long y = 0;
};

Dot dot_of(const PanelPoint& point, const ChartArea& area) {
  const auto across = static_cast<double>(area.columns * dots_across);
  const auto down = static_cast<double>(area.rows * dots_down);
  const double share = (point.seconds - area.from_seconds) / (area.to_seconds - area.from_seconds);
  const double height = std::clamp(point.percent, 0.0, 100.0) / 100;
  // The last moment belongs to the last dot.
  const double x = share == 1 ? across - 1 : std::floor(share * across);
  return {static_cast<long>(x), std::lround(height * (down - 1))};
}

void draw_line(Canvas& canvas, Dot from, Dot to) {
  const long steps = std::max({std::labs(to.x - from.x), std::labs(to.y - from.y), 1L});
  for (long i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    canvas.set(from.x + std::lround(part * static_cast<double>(to.x - from.x)),
               from.y + std::lround(part * static_cast<double>(to.y - from.y)));
  }
}

// A step between marks that leaves room for their labels.
double seconds_between_marks(const ChartArea& area) {
  constexpr std::size_t room_for_a_label = 8;
  const double span = area.to_seconds - area.from_seconds;
  for (const double step : {1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0}) {
    const double columns = step / span * static_cast<double>(area.columns);
    if (columns >= static_cast<double>(room_for_a_label)) return step;
  }
  return span;
}

}  // namespace

std::vector<std::string> draw_chart(std::span<const PanelPoint> points, const ChartArea& area) {
  Canvas canvas(area.columns, area.rows);
  const PanelPoint* last = nullptr;
  for (const PanelPoint& point : points) {
    // A point just before the left edge is where the first line comes from.
    if (last != nullptr && point.seconds >= area.from_seconds && last->seconds <= area.to_seconds) {
      draw_line(canvas, dot_of(*last, area), dot_of(point, area));
    } else if (point.seconds >= area.from_seconds && point.seconds <= area.to_seconds) {
      const Dot dot = dot_of(point, area);
      canvas.set(dot.x, dot.y);
    }
    last = &point;
  }
  return canvas.rows();
}

TimeAxis draw_time_axis(const ChartArea& area) {
  std::vector<std::string> rule(area.columns, "─");
  std::string labels(area.columns, ' ');
  const double step = seconds_between_marks(area);
  const double span = area.to_seconds - area.from_seconds;
  for (double mark = std::ceil(area.from_seconds / step) * step; mark <= area.to_seconds;
       mark += step) {
    const double share = (mark - area.from_seconds) / span;
    const auto column = std::min(
        area.columns - 1, static_cast<std::size_t>(share * static_cast<double>(area.columns)));
    rule[column] = "┬";
    const std::string label = std::to_string(std::lround(mark)) + " s";
    // At the right edge a label ends at its mark instead of beginning there.
    const std::size_t start =
        column + label.size() <= area.columns ? column : area.columns - label.size();
    labels.replace(start, label.size(), label);
  }
  TimeAxis axis;
  for (const std::string& part : rule) axis.rule += part;
  axis.labels = std::move(labels);
  return axis;
}

}  // namespace hone
