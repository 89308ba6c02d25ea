#pragma once
// Monitors: what watches a session while it runs. A monitor is one file in monitors/ that returns a
// Monitor, and one line in monitors.inc. Only the window (measure/window.h) drives it.
//
// The contract:
// - The session is the only one that opens sessions. A monitor asks for session options and
// provider
//   options; asking twice gives the same answer.
// - A monitor parses after the session is gone, for EPs write their files when it is destroyed.
// - Whatever a monitor does, the error of the measured body stays the error.
// - Several monitors may watch one session; two that want different values of one option are
//   refused by name.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "measure/clock.h"
#include "measure/hw/probe.h"
#include "measure/hw/recorder.h"
#include "measure/trace/names.h"
#include "record/hw_monitor.h"
#include "record/trace.h"

namespace hone {

using MonitorOptions = std::map<std::string, std::string>;

enum class TraceLevel { basic, detail };

struct MonitorSettings {
  std::string ep;    // of the session, by its short name
  Path model;        // what the session opens
  Path folder;       // of this run alone, and there: what the monitor makes stays in it
  Path work_folder;  // where the process runs; some EPs leave files there
  TraceLevel level = TraceLevel::basic;
  NodeTypes node_types{};
  Path qnn_sdk{};                                // empty: none is set up
  std::string xrt_smi = "xrt-smi";               // AMD's tool, a path or a name in PATH
  std::chrono::milliseconds tool_limit{60'000};  // for a tool of a vendor
  std::chrono::milliseconds interval{100};       // between two looks at the hardware
  HwSettings hw{};
  // Where the loader of a worker finds a library; nothing: nobody can tell.
  std::function<Result<Path>(const std::string& name)> find_library{};
};

// How many runs the body made.
struct RunCounts {
  std::int64_t warmup = 0;
  std::int64_t measured = 0;
};

// What a monitor is told when the session is gone.
struct ClosedWindow {
  std::optional<RunCounts> counts;  // nothing when the body failed
  Nanoseconds body_start{0};
  Nanoseconds body_end{0};
};

struct MonitorFinding {
  std::optional<OpTrace> op_trace{};
  std::optional<HwMonitorRecord> hw_monitor{};
  std::optional<EpProof> ep_proof{};
  std::optional<Json> own{};  // of a monitor that is not ours: whatever it says
};

// A monitor of one window, in the order in which the window calls it. Its end ends all it started.
class OpenMonitor {
 public:
  OpenMonitor() = default;
  OpenMonitor(const OpenMonitor&) = delete;
  OpenMonitor& operator=(const OpenMonitor&) = delete;
  virtual ~OpenMonitor() = default;

  virtual MonitorOptions session_options() const { return {}; }
  virtual MonitorOptions provider_options() const { return {}; }
  // Variables of the process that opens the session.
  virtual MonitorOptions environment() const { return {}; }
  // Whether there is something to parse only after the session is gone. A session that was open
  // before and that no monitor wants closed stays open.
  virtual bool needs_closed_session() const { return false; }

  virtual Status before_open() { return done(); }
  virtual Status after_open() { return done(); }
  virtual Status before_close() { return done(); }
  virtual Result<MonitorFinding> parse(const ClosedWindow& window) = 0;

  // For a live view, from any thread: the readings from `since` on.
  virtual std::vector<HwSeries> live(Nanoseconds /*since*/) const { return {}; }
};

struct Monitor {
  std::string_view name;
  std::string_view summary;
  bool traces = false;  // finds out where time goes, operator by operator
  // Unsupported, with the reason, where this machine cannot do it.
  Result<std::unique_ptr<OpenMonitor>> (*open)(const MonitorSettings& settings);
};

// The `open` of a monitor that can always be tried.
template <class T>
Result<std::unique_ptr<OpenMonitor>> open_monitor(const MonitorSettings& settings) {
  return std::unique_ptr<OpenMonitor>(std::make_unique<T>(settings));
}

std::span<const Monitor> all_monitors();
// The one of that name; the error lists them all, and names the nearest.
Result<Monitor> find_monitor(std::string_view name);
// Those that the EP's file names (kinds/ep.h), in its order: what traces it, and what proves that
// it worked.
std::vector<Monitor> monitors_of(std::string_view ep);
// The one that traces operators of a session on this EP: the EP's own where there is one, else
// ONNX Runtime's profiler.
Monitor tracer_for(std::string_view ep);

namespace monitors {
#define HONE_MONITOR(name) Monitor name();
#include "measure/monitors.inc"
#undef HONE_MONITOR
}  // namespace monitors

}  // namespace hone
