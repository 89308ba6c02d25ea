#pragma once
// The measuring window: opens a session with what the monitors ask for, runs the body, destroys the
// session, and then lets the monitors parse. The rules are in measure/monitor.h.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/monitor.h"

namespace hone {

// What a session is opened with: the user's options, and over them those of the monitors.
struct WindowOptions {
  MonitorOptions session;
  MonitorOptions provider;
};

// Who watches. The names are for messages.
struct Watcher {
  std::string name;
  std::string ep;  // the only one whose sessions it can watch; empty: any
  OpenMonitor* monitor = nullptr;
};

struct WindowPlan {
  std::vector<Watcher> watchers{};
  WindowOptions options{};  // the user's
  std::string ep{};         // the session's, by its short name
};

struct WatcherOutcome {
  std::string name;
  Result<MonitorFinding> finding;
};

struct WindowOutcome {
  Status body = done();  // the first error of opening or of the body, word for word
  std::vector<WatcherOutcome> watchers{};
  std::vector<std::string> notes{};
};

// One per session; while it is taken no other window opens.
class WindowGate {
 public:
  bool take() { return !is_taken_.exchange(true); }
  void release() { is_taken_ = false; }

 private:
  std::atomic<bool> is_taken_ = false;
};

// The session as the window sees it.
struct WindowSteps {
  bool is_open = false;  // it is already there
  std::function<Status(const WindowOptions&)> open{};
  std::function<Result<RunCounts>()> body{};
  std::function<void()> close{};
};

// The options of the plan with those of the monitors over them. Refused: two monitors of one name,
// a monitor of another EP, two monitors that want different values for one option. What replaces a
// user's own value is noted.
Result<WindowOptions> merge_options(const WindowPlan& plan, std::vector<std::string>& notes);

// Fails before anything is opened or closed when the window is nested or the plan is refused. After
// that everything is an outcome: each monitor's, and the body's.
Result<WindowOutcome> run_window(WindowGate& gate, const WindowPlan& plan, const WindowSteps& steps,
                                 const Clock& clock = steady_now);

// The same for a session that is an object. `session` may hold one that is open: it is used as it
// is when no monitor asks for options, and else closed and opened again, which is noted. After the
// window it is empty, unless it was open before and no monitor needed it closed.
template <class Session>
struct SessionSteps {
  std::function<Result<std::unique_ptr<Session>>(const WindowOptions&)> open;
  std::function<Result<RunCounts>(Session&)> body;
};

template <class Session>
Result<WindowOutcome> run_window(WindowGate& gate, const WindowPlan& plan,
                                 std::unique_ptr<Session>& session,
                                 const SessionSteps<Session>& steps,
                                 const Clock& clock = steady_now) {
  WindowSteps erased;
  erased.is_open = session != nullptr;
  erased.open = [&](const WindowOptions& options) -> Status {
    HONE_TRY(session, steps.open(options));
    return done();
  };
  erased.body = [&] { return steps.body(*session); };
  erased.close = [&] { session.reset(); };
  return run_window(gate, plan, erased, clock);
}

}  // namespace hone
