#pragma once
// Monitors of whoever embeds hone, as a window takes them.

#include <hone/hone.h>
#include <memory>
#include <vector>

#include "measure/window.h"

struct hone_monitor_request {
  hone::MonitorOptions session;
  hone::MonitorOptions provider;
};

namespace hone::api {

class CallbackMonitor;

class Monitors {
 public:
  Monitors();
  Monitors(Monitors&&) noexcept;
  Monitors& operator=(Monitors&&) noexcept;
  ~Monitors();

  // Calls `before` of each, in their order: the first one that fails is the error.
  static Result<Monitors> ask(const hone_monitor* monitors, std::size_t count);
  std::vector<Watcher> watchers() const;

 private:
  std::vector<std::unique_ptr<CallbackMonitor>> monitors_;
};

}  // namespace hone::api
