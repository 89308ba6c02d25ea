#include "report/perf/painter.h"

#include <utility>

namespace hone {

void PanelPainter::paint(const std::vector<std::string>& lines) {
  std::string frame;
  if (height_ > 0) frame += "\x1b[" + std::to_string(height_) + "A";
  for (const std::string& line : lines) frame += "\r\x1b[2K" + line + "\n";
  // What an earlier, higher frame left below.
  if (lines.size() < height_) frame += "\x1b[J";
  height_ = lines.size();
  write_(frame);
}

std::optional<std::string> PlainProgress::next(const PanelState& state) {
  const int tenths = static_cast<int>(progress_of(state).value_or(0) * 10);
  const bool is_new_phase = std::exchange(phase_, state.phase) != state.phase;
  if (is_new_phase) tenths_ = 0;
  if (!is_new_phase && tenths <= tenths_) return std::nullopt;
  tenths_ = tenths;
  return render_plain_line(state);
}

}  // namespace hone
