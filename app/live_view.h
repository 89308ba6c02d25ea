#pragma once
// What a measurement shows on stderr while it runs: a panel with --monitor, else one line that is
// printed over itself; lines in place of both where stderr is no terminal.

#include <memory>
#include <string>

#include "app/call.h"
#include "flow/perf_panel.h"
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
  LiveView(const Call& call, const PerfLive& live, const LiveViewOptions& options);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

 private:
  void show();

  const Call& call_;
  PerfPanel panel_;
  bool is_panel_;
  PanelPainter painter_;
  PlainProgress lines_;
  bool is_line_open_ = false;
  std::unique_ptr<Sampler> sampler_;  // last: it looks at all of the above
};

}  // namespace hone::app
