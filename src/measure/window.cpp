#include "measure/window.h"

#include <algorithm>
#include <exception>
#include <optional>

namespace hone {
namespace {

// What a monitor or a body threw, as an Error: no exception leaves the window.
template <class T, class Function>
Result<T> guarded(const std::string& what, Function&& function) {
  try {
    return function();
  } catch (const std::exception& problem) {
    return fail(Fault::runtime, what, problem.what());
  } catch (...) {
    return fail(Fault::runtime, what, "it threw something that is no exception");
  }
}

struct Wish {
  std::string value;
  std::string monitor;
};
using Wishes = std::map<std::string, Wish>;

Status add_wishes(const MonitorOptions& options, const std::string& monitor, Wishes& wishes) {
  for (const auto& [key, value] : options) {
    const auto [known, is_new] = wishes.emplace(key, Wish{value, monitor});
    if (is_new || known->second.value == value) continue;
    std::string what = "monitors '" + known->second.monitor + "' and '";
    what.append(monitor).append("' both set the option '").append(key).append("'");
    std::string cause = "to '" + known->second.value + "' and to '";
    cause.append(value).append("'");
    return fail(Fault::bad_input, std::move(what), std::move(cause),
                "watch with one of them at a time");
  }
  return done();
}

void apply_wishes(const Wishes& wishes, MonitorOptions& options, std::vector<std::string>& notes) {
  for (const auto& [key, wish] : wishes) {
    const auto given = options.find(key);
    if (given != options.end() && given->second != wish.value) {
      notes.push_back("monitor '" + wish.monitor + "' sets " + key + "=" + wish.value +
                      " in place of " + given->second);
    }
    options[key] = wish.value;
  }
}

Status check_watchers(const WindowPlan& plan) {
  for (std::size_t i = 0; i < plan.watchers.size(); ++i) {
    const Watcher& watcher = plan.watchers[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (plan.watchers[j].name == watcher.name) {
        return fail(Fault::bad_input, "monitor '" + watcher.name + "' is asked for twice");
      }
    }
    if (!watcher.ep.empty() && watcher.ep != plan.ep) {
      return fail(Fault::bad_input, "monitor '" + watcher.name + "' watches sessions on " +
                                        watcher.ep + ", and this one is on " + plan.ep);
    }
  }
  return done();
}

// A watcher during the window. Once it has failed it is not called again.
struct Attendance {
  const Watcher* watcher = nullptr;
  std::optional<Error> failed;

  template <class Function>
  void call(Function&& function) {
    if (failed) return;
    Status status = guarded<Done>("monitor '" + watcher->name + "' failed",
                                  [&] { return function(*watcher->monitor); });
    if (!status) failed = std::move(status).error();
  }
};

class Gatekeeper {
 public:
  explicit Gatekeeper(WindowGate& gate) : gate_(gate) {}
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;
  ~Gatekeeper() { gate_.release(); }

 private:
  WindowGate& gate_;
};

std::string names_of(const WindowPlan& plan) {
  std::string names;
  for (const Watcher& watcher : plan.watchers) {
    const bool asks =
        !watcher.monitor->session_options().empty() || !watcher.monitor->provider_options().empty();
    if (asks) names += (names.empty() ? "'" : ", '") + watcher.name + "'";
  }
  return names;
}

// The window between its checks and its outcome.
class Window {
 public:
  Window(const WindowPlan& plan, const WindowSteps& steps, const Clock& clock)
      : plan_(plan), steps_(steps), clock_(clock) {
    for (const Watcher& watcher : plan.watchers) attendances_.push_back({&watcher, {}});
  }

  WindowOutcome run() {
    is_open_ = steps_.is_open;
    close_for_new_options();
    for_each([](OpenMonitor& monitor) { return monitor.before_open(); });
    open();
    if (outcome_.body) run_body();
    close();
    parse();
    return std::move(outcome_);
  }

 private:
  template <class Function>
  void for_each(Function&& function) {
    for (Attendance& attendance : attendances_) attendance.call(function);
  }

  void close_for_new_options() {
    const std::string asking = names_of(plan_);
    if (!is_open_ || asking.empty()) return;
    outcome_.notes.push_back("the open session is closed and opened again with the options of " +
                             asking);
    steps_.close();
    is_open_ = false;
  }

  // Of the monitors that are still well: one that could not start has no say.
  WindowPlan plan_of_attending() const {
    WindowPlan plan = plan_;
    plan.watchers.clear();
    for (const Attendance& attendance : attendances_) {
      if (!attendance.failed) plan.watchers.push_back(*attendance.watcher);
    }
    return plan;
  }

  void open() {
    if (is_open_) return;
    was_opened_here_ = true;
    Result<WindowOptions> options = merge_options(plan_of_attending(), outcome_.notes);
    outcome_.body =
        options ? guarded<Done>("cannot open the session", [&] { return steps_.open(*options); })
                : Status(fail(std::move(options).error()));
    is_open_ = outcome_.body.has_value();
  }

  void run_body() {
    for_each([](OpenMonitor& monitor) { return monitor.after_open(); });
    closed_.body_start = clock_();
    Result<RunCounts> counts =
        guarded<RunCounts>("the measured body failed", [&] { return steps_.body(); });
    closed_.body_end = clock_();
    if (counts) {
      closed_.counts = *counts;
    } else {
      outcome_.body = fail(std::move(counts).error());
    }
    for_each([](OpenMonitor& monitor) { return monitor.before_close(); });
    has_run_ = true;
  }

  void close() {
    const bool is_wanted_closed = std::ranges::any_of(plan_.watchers, [](const Watcher& watcher) {
      return watcher.monitor->needs_closed_session();
    });
    if (!is_open_ || !(was_opened_here_ || is_wanted_closed)) return;
    steps_.close();
    is_open_ = false;
  }

  void parse() {
    for (Attendance& attendance : attendances_) {
      const std::string& name = attendance.watcher->name;
      if (attendance.failed) {
        outcome_.watchers.push_back({name, fail(std::move(*attendance.failed))});
      } else if (!has_run_) {
        outcome_.watchers.push_back(
            {name, fail(Fault::runtime, "monitor '" + name + "' saw nothing",
                        "the session could not be opened")});
      } else {
        outcome_.watchers.push_back(
            {name, guarded<MonitorFinding>("monitor '" + name + "' failed", [&] {
               return attendance.watcher->monitor->parse(closed_);
             })});
      }
    }
  }

  const WindowPlan& plan_;
  const WindowSteps& steps_;
  const Clock& clock_;
  std::vector<Attendance> attendances_;
  WindowOutcome outcome_;
  ClosedWindow closed_;
  bool is_open_ = false;
  bool was_opened_here_ = false;
  bool has_run_ = false;
};

}  // namespace

Result<WindowOptions> merge_options(const WindowPlan& plan, std::vector<std::string>& notes) {
  HONE_TRY_DO(check_watchers(plan));
  Wishes session;
  Wishes provider;
  for (const Watcher& watcher : plan.watchers) {
    HONE_TRY_DO(add_wishes(watcher.monitor->session_options(), watcher.name, session));
    HONE_TRY_DO(add_wishes(watcher.monitor->provider_options(), watcher.name, provider));
  }
  WindowOptions merged = plan.options;
  apply_wishes(session, merged.session, notes);
  apply_wishes(provider, merged.provider, notes);
  return merged;
}

Result<WindowOutcome> run_window(WindowGate& gate, const WindowPlan& plan, const WindowSteps& steps,
                                 const Clock& clock) {
  if (!gate.take()) {
    return fail(Fault::bad_input,
                "a measuring window is already open on this session (windows do not nest)");
  }
  const Gatekeeper keeper(gate);
  std::vector<std::string> ignored;
  HONE_TRY_DO(merge_options(plan, ignored));
  return Window(plan, steps, clock).run();
}

}  // namespace hone
