#pragma once
// What a live view shows of a measurement while it runs.

#include <string>

#include "measure/perf.h"
#include "report/perf/panel.h"

namespace hone {

class PerfPanel {
 public:
  // REQUIRES: `live` outlives this.
  PerfPanel(const PerfLive& live, std::string title, const LoopPlan& loop)
      : live_(live), title_(std::move(title)), loop_(loop) {}

  // As it is now; of hardware and memory what was seen last once the session is gone.
  PanelState look();

 private:
  const PerfLive& live_;
  std::string title_;
  LoopPlan loop_;
  Nanoseconds start_ = steady_now();
  PanelState last_;
};

}  // namespace hone
