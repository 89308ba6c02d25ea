#include <gtest/gtest.h>

#include "base/fake_system.h"
#include "measure/window.h"

namespace hone {
namespace {

TEST(HwMonitor, WatchesTheBodyFromAThreadOfItsOwn) {
  FakeSystem fake;
  fake.with("proc/self/statm", "100 20 1 1 0 1 0\n").with("sys/devices/system/cpu/online", "0-3\n");
  MonitorSettings settings;
  settings.hw.roots = fake.roots();
  settings.hw.nvml_library = "no-such-library.so";
  settings.interval = std::chrono::milliseconds(1);
  const auto monitor = find_monitor("hw")->open(settings).value();

  WindowGate gate;
  WindowPlan plan{.watchers = {{"hw", "", monitor.get()}}, .ep = "cpu"};
  WindowSteps steps;
  steps.open = [](const WindowOptions& options) {
    EXPECT_TRUE(options.session.empty());
    return done();
  };
  steps.body = [&]() -> Result<RunCounts> {
    while (monitor->live(Nanoseconds{0}).size() < 2) std::this_thread::yield();
    return RunCounts{};
  };
  steps.close = [] {};
  const auto outcome = run_window(gate, plan, steps);
  ASSERT_TRUE(outcome);
  const HwMonitorRecord record = outcome->watchers.at(0).finding->hw_monitor.value();
  EXPECT_EQ(record.monitor, "hw");
  EXPECT_EQ(record.interval_ms, 1);
  EXPECT_GT(record.ram.mean_mb.value(), 0);
  EXPECT_TRUE(record.cpu.process_mean_pct.has_value());
  EXPECT_FALSE(record.adapter.has_value());
}

TEST(HwMonitor, LeavesAnOpenSessionOpen) {
  const auto monitor = find_monitor("hw")->open({}).value();
  EXPECT_FALSE(monitor->needs_closed_session());
  EXPECT_TRUE(monitor->session_options().empty());
  EXPECT_TRUE(monitor->provider_options().empty());
}

}  // namespace
}  // namespace hone
