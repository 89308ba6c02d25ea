#pragma once
// Puts the live view on a terminal, over what it put there before; and in a log, a line now and
// then.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/perf/panel.h"

namespace hone {

class PanelPainter {
 public:
  // `write` gets each frame as one piece of text, so that no half of it is ever seen.
  explicit PanelPainter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  // The frame stays where it is when nothing follows: the last one is kept.
  void paint(const std::vector<std::string>& lines);

 private:
  std::function<void(std::string_view)> write_;
  std::size_t height_ = 0;
};

// Lines for a log: one for each phase and one for each tenth of it.
class PlainProgress {
 public:
  // The line, when there is something new to say.
  std::optional<std::string> next(const PanelState& state);

 private:
  std::optional<PanelPhase> phase_;
  int tenths_ = 0;
};

}  // namespace hone
