#pragma once
// What a measurement shows on stderr while it runs: a panel with --monitor, else one line that is
// printed over itself; lines in place of both where stderr is no terminal.

#include <memory>
#include <string>

#include "app/call.h"
#include "measure/perf.h"
#include "measure/sampler.h"
#include "report/perf/painter.h"

namespace hone::app {

struct LiveViewOptions {
  std::string title;
  LoopPlan loop;
  bool is_panel = false;  // --monitor
};

// Looks from a thread of its own until it is gone; the last frame of the panel stays.
class LiveView {
 public:
  LiveView(const Call& call, const PerfLive& live, LiveViewOptions options);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

 private:
  PanelState state();
  void show();

  const Call& call_;
  const PerfLive& live_;
  LiveViewOptions options_;
  Nanoseconds start_ = steady_now();
  PanelPainter painter_;
  PlainProgress lines_;
  bool is_line_open_ = false;
  PanelState last_;                   // what the last frame shows once the session is gone
  std::unique_ptr<Sampler> sampler_;  // last: it looks at all of the above
};

}  // namespace hone::app
