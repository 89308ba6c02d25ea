#include "api/monitors.h"

#include "api/arguments.h"
#include "base/misuse.h"
#include "base/text.h"

namespace hone::api {

class CallbackMonitor final : public OpenMonitor {
 public:
  explicit CallbackMonitor(const hone_monitor& monitor) : monitor_(monitor), name_(monitor.name) {
    monitor_.name = nullptr;  // the caller's; ours is name_
  }

  const std::string& name() const { return name_; }

  Status ask() {
    if (monitor_.before == nullptr) return done();
    return check("before", monitor_.before(monitor_.user, &request_));
  }

  MonitorOptions session_options() const override { return request_.session; }
  MonitorOptions provider_options() const override { return request_.provider; }
  bool needs_closed_session() const override { return true; }

  Status before_close() override {
    return monitor_.after == nullptr ? done() : check("after", monitor_.after(monitor_.user));
  }

  Result<MonitorFinding> parse(const ClosedWindow& closed) override {
    if (monitor_.parse == nullptr) return MonitorFinding{};
    const RunCounts counts = closed.counts.value_or(RunCounts{});
    const std::chrono::duration<double> seconds = closed.body_end - closed.body_start;
    const hone_window window = {sizeof(hone_window), static_cast<std::uint64_t>(counts.warmup),
                                static_cast<std::uint64_t>(counts.measured), seconds.count()};
    const char* text = monitor_.parse(monitor_.user, &window);
    if (text == nullptr) return failed("its `parse` returned NULL");
    Result<Json> said = Json::parse(text);
    if (!said) return failed("what it said is no JSON: " + said.error().what);
    MonitorFinding finding;
    finding.own = *std::move(said);
    return finding;
  }

 private:
  Failure failed(std::string cause) const {
    return fail(Fault::runtime, "the monitor '" + printable(name_) + "' failed", std::move(cause));
  }
  Status check(const std::string& step, int returned) const {
    if (returned == 0) return done();
    return failed("its `" + step + "` returned " + std::to_string(returned));
  }

  hone_monitor monitor_;
  std::string name_;
  hone_monitor_request request_;
};

Monitors::Monitors() = default;
Monitors::Monitors(Monitors&&) noexcept = default;
Monitors& Monitors::operator=(Monitors&&) noexcept = default;
Monitors::~Monitors() = default;

Result<Monitors> Monitors::ask(const hone_monitor* monitors, std::size_t count) {
  Monitors asked;
  if (count > 0) HONE_TRY_DO(check_given(monitors, "monitors"));
  for (std::size_t i = 0; i < count; ++i) {
    const hone_monitor& monitor = monitors[i];
    HONE_TRY_DO(check_size(monitor.size, sizeof(hone_monitor), "hone_monitor"));
    HONE_TRY_DO(check_given(monitor.name, "the name of a monitor"));
    asked.monitors_.push_back(std::make_unique<CallbackMonitor>(monitor));
  }
  for (const auto& monitor : asked.monitors_) HONE_TRY_DO(monitor->ask());
  return asked;
}

std::vector<Watcher> Monitors::watchers() const {
  std::vector<Watcher> watchers;
  for (const auto& monitor : monitors_) watchers.push_back({monitor->name(), "", monitor.get()});
  return watchers;
}

}  // namespace hone::api

namespace {

// A wish that there is no memory for is not heard, and nobody is harmed.
void wish(hone::MonitorOptions* options, const char* key, const char* value) noexcept try {
  if (options != nullptr && key != nullptr && value != nullptr) (*options)[key] = value;
} catch (...) {
}

}  // namespace

void hone_monitor_session_option(hone_monitor_request* request, const char* key,
                                 const char* value) {
  wish(request != nullptr ? &request->session : nullptr, key, value);
}

void hone_monitor_provider_option(hone_monitor_request* request, const char* key,
                                  const char* value) {
  wish(request != nullptr ? &request->provider : nullptr, key, value);
}
