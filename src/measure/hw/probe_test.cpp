#include "measure/hw/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "base/fake_system.h"

namespace hone {
namespace {

using namespace std::chrono_literals;

HwProbe* find(std::vector<HwProbe>& probes, std::string_view name) {
  const auto found = std::ranges::find(
      probes, name, [](const HwProbe& probe) -> std::string_view { return probe.channel.name; });
  return found == probes.end() ? nullptr : &*found;
}

std::optional<double> read(std::vector<HwProbe>& probes, std::string_view name,
                           Nanoseconds now = 0s) {
  HwProbe* probe = find(probes, name);
  return probe != nullptr && probe->read ? probe->read(now) : std::nullopt;
}

std::string reason(std::vector<HwProbe>& probes, std::string_view name) {
  const HwProbe* probe = find(probes, name);
  return probe == nullptr ? "no such channel" : probe->channel.reason.value_or("it is there");
}

HwSettings settings_of(const FakeSystem& fake) {
  HwSettings settings;
  settings.roots = fake.roots();
  settings.nvml_library = "no-such-library.so";
  return settings;
}

TEST(Rate, IsWhatACounterGainsPerTime) {
  Rate rate(1e9);  // per second
  EXPECT_EQ(rate.next(1s, 100), std::nullopt);
  EXPECT_EQ(rate.next(3s, 150), 25);
  EXPECT_EQ(rate.next(4s, 150), 0);
}

TEST(Rate, HasNoValueWhereItsCounterBeganAnew) {
  Rate rate(1e9);
  EXPECT_EQ(rate.next(1s, 100), std::nullopt);
  EXPECT_EQ(rate.next(2s, 10), std::nullopt);
  EXPECT_EQ(rate.next(3s, 30), 20);
}

TEST(Rate, SkipsAReadingThatFailedOrTookNoTime) {
  Rate rate(1e9);
  EXPECT_EQ(rate.next(1s, 100), std::nullopt);
  EXPECT_EQ(rate.next(2s, std::nullopt), std::nullopt);
  EXPECT_EQ(rate.next(3s, 140), 20);
  EXPECT_EQ(rate.next(3s, 150), std::nullopt);
}

TEST(ProcessProbes, GiveProcessorTimeInPercentOfOneCpu) {
  const FakeSystem fake;
  HwSettings settings = settings_of(fake);
  Nanoseconds used = 0s;
  settings.cpu_time = [&] { return used; };
  auto probes = process_probes(settings);
  EXPECT_EQ(read(probes, "cpu/process", 1s), std::nullopt);
  used = 300ms;
  EXPECT_EQ(read(probes, "cpu/process", 1200ms), 150);
}

TEST(ProcessProbes, GiveResidentMemoryOrTheReasonWhyNot) {
  FakeSystem fake;
  auto absent_probes = process_probes(settings_of(fake));
  EXPECT_EQ(reason(absent_probes, "memory/resident"), "/proc/self/statm is not there");
  fake.with("proc/self/statm", "100 2 1 1 0 1 0\n");
  auto probes = process_probes(settings_of(fake));
  EXPECT_GT(read(probes, "memory/resident").value(), 0);
}

TEST(MachineProbes, GiveTheBusyAndTheStolenShare) {
  FakeSystem fake;
  fake.with("proc/stat", "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n");
  auto probes = machine_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "cpu/machine"), std::nullopt);
  EXPECT_EQ(read(probes, "cpu/stolen"), std::nullopt);
  // 100 ticks more: 60 busy (of them 10 stolen), 40 idle or waiting.
  fake.with("proc/stat", "cpu  140 0 60 830 60 0 0 10 0 0\n");
  EXPECT_EQ(read(probes, "cpu/machine"), 60);
  EXPECT_EQ(read(probes, "cpu/stolen"), 10);
}

TEST(MachineProbes, GiveTheShareOfTimeAQuotaHeldUsBack) {
  FakeSystem fake;
  fake.with("proc/self/cgroup", "0::/\n").with("sys/fs/cgroup/cpu.stat", "nr_throttled 1\n");
  auto unlimited = machine_probes(settings_of(fake));
  EXPECT_EQ(reason(unlimited, "cpu/throttled"), "no CPU quota is set");
  fake.with("sys/fs/cgroup/cpu.max", "100000 100000\n")
      .with("sys/fs/cgroup/cpu.stat", "nr_throttled 1\nthrottled_usec 1000\n");
  auto probes = machine_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "cpu/throttled", 1s), std::nullopt);
  fake.with("sys/fs/cgroup/cpu.stat", "nr_throttled 9\nthrottled_usec 251000\n");
  EXPECT_DOUBLE_EQ(read(probes, "cpu/throttled", 2s).value(), 25);
}

TEST(MachineProbes, GiveMeanClockHottestZoneAndPressure) {
  FakeSystem fake;
  fake.with("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2000000\n")
      .with("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3000000\n")
      .with("sys/class/thermal/thermal_zone0/temp", "45000\n")
      .with("sys/class/thermal/thermal_zone1/temp", "71500\n")
      .with("proc/pressure/cpu", "some avg10=12.50 avg60=1 avg300=1 total=1\n")
      .with("proc/loadavg", "3.25 1.00 1.00 1/1 1\n");
  auto probes = machine_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "cpu/clock"), 2500);
  EXPECT_EQ(read(probes, "cpu/temperature"), 71.5);
  EXPECT_EQ(read(probes, "pressure/cpu"), 12.5);
  EXPECT_EQ(read(probes, "load"), 3.25);
  EXPECT_EQ(reason(probes, "pressure/io"), "this kernel has no pressure information");
}

TEST(MachineProbes, GivePowerFromTheEnergyCounter) {
  FakeSystem fake;
  fake.with("sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
  auto probes = machine_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "cpu/power", 1s), std::nullopt);
  fake.with("sys/class/powercap/intel-rapl:0/energy_uj", "31000000\n");
  EXPECT_DOUBLE_EQ(read(probes, "cpu/power", 3s).value(), 15);
}

TEST(MachineProbes, SayWhatTheMachineDoesNotHave) {
  const FakeSystem empty;
  auto probes = machine_probes(settings_of(empty));
  EXPECT_EQ(reason(probes, "cpu/clock"), "this machine has no cpufreq");
  EXPECT_EQ(reason(probes, "cpu/temperature"), "this machine has no thermal zones");
  EXPECT_EQ(reason(probes, "cpu/power"), "RAPL is not there, or only root may read it");
  EXPECT_EQ(reason(probes, "cpu/machine"), "/proc/stat is not there");
  EXPECT_EQ(reason(probes, "load"), "/proc/loadavg is not there");
}

TEST(NvmlProbes, SayWhyThereIsNoLibrary) {
  const FakeSystem fake;
  auto probes = nvml_probes(settings_of(fake));
  ASSERT_EQ(probes.size(), 1u);
  EXPECT_NE(reason(probes, "nvidia").find("no-such-library.so"), std::string::npos);
}

TEST(NvmlProbes, ReadEveryGpuThroughTheLibrary) {
  HwSettings settings;
  settings.nvml_library = HONE_FAKE_NVML;
  auto probes = nvml_probes(settings);
  EXPECT_EQ(read(probes, "nvidia0/utilization"), 42);
  EXPECT_EQ(read(probes, "nvidia0/memory"), 500);
  EXPECT_EQ(read(probes, "nvidia0/clock"), 1900);
  EXPECT_EQ(read(probes, "nvidia0/temperature"), 61);
  EXPECT_EQ(find(probes, "nvidia0/clock")->channel.description,
            "NVIDIA Fake: clock of the processors");
  EXPECT_EQ(reason(probes, "nvidia0/power"), "NVIDIA Fake does not tell");
}

TEST(NvmlProbes, GiveThePowerThatTheEnergyCounterGained) {
  HwSettings settings;
  settings.nvml_library = HONE_FAKE_NVML;
  auto probes = nvml_probes(settings);
  const auto energy = std::ranges::find(probes, "nvidia0/energy_rate",
                                        [](const HwProbe& probe) { return probe.channel.name; });
  ASSERT_NE(energy, probes.end());
  EXPECT_EQ(energy->read(1s), std::nullopt) << "a rate takes two readings";
  EXPECT_DOUBLE_EQ(energy->read(2s).value(), 300);
  EXPECT_DOUBLE_EQ(energy->read(5s).value(), 100);
}

TEST(NvmlProbes, TellHeldDownClocksFromThoseSomebodyHasSet) {
  HwSettings settings;
  settings.nvml_library = HONE_FAKE_NVML;
  auto probes = nvml_probes(settings);
  EXPECT_EQ(read(probes, "nvidia0/throttled"), 0);
  setenv("HONE_FAKE_NVML_HEAT", "1", 1);
  EXPECT_EQ(read(probes, "nvidia0/throttled"), 100);
  unsetenv("HONE_FAKE_NVML_HEAT");
}

TEST(NvmlProbes, TakeNoReadingThatCannotBeOne) {
  HwSettings settings;
  settings.nvml_library = HONE_FAKE_NVML;
  auto probes = nvml_probes(settings);
  setenv("HONE_FAKE_NVML_HOSTILE", "1", 1);
  for (const auto* name : {"nvidia0/utilization", "nvidia0/clock", "nvidia0/temperature"})
    EXPECT_EQ(read(probes, name), std::nullopt) << name;
  auto hostile = nvml_probes(settings);
  EXPECT_EQ(reason(hostile, "nvidia0/clock"), "NVIDIA Fake does not tell");
  unsetenv("HONE_FAKE_NVML_HOSTILE");
}

TEST(NvmlProbes, GiveTheClockOfTheFastestGpu) {
  HwSettings settings;
  settings.nvml_library = HONE_FAKE_NVML;
  EXPECT_EQ(highest_gpu_mhz(settings), 1900);
  settings.nvml_library = "no-such-library.so";
  EXPECT_EQ(highest_gpu_mhz(settings), std::nullopt);
}

TEST(DriverProbes, ReadAnAmdGpu) {
  FakeSystem fake;
  fake.with("sys/class/drm/card1/device/vendor", "0x1002\n")
      .with("sys/class/drm/card1/device/gpu_busy_percent", "37\n")
      .with("sys/class/drm/card1/device/mem_info_vram_used", "1048576\n")
      .with("sys/class/drm/card1/device/hwmon/hwmon4/temp1_input", "52000\n")
      .with("sys/class/drm/card1/device/hwmon/hwmon4/power1_average", "31000000\n")
      .with("sys/class/drm/card1/device/hwmon/hwmon4/freq1_input", "2100000000\n")
      .with("sys/class/drm/card1-DP-1/status", "connected\n");
  auto probes = driver_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "amd1/utilization"), 37);
  EXPECT_EQ(read(probes, "amd1/memory"), 1048576);
  EXPECT_DOUBLE_EQ(read(probes, "amd1/temperature").value(), 52);
  EXPECT_DOUBLE_EQ(read(probes, "amd1/power").value(), 31);
  EXPECT_DOUBLE_EQ(read(probes, "amd1/clock").value(), 2100);
}

TEST(DriverProbes, ReadAnIntelGpuByItsSleep) {
  FakeSystem fake;
  fake.with("sys/class/drm/card0/device/vendor", "0x8086\n")
      .with("sys/class/drm/card0/gt/gt0/rc6_residency_ms", "1000\n")
      .with("sys/class/drm/card0/gt/gt0/rps_act_freq_mhz", "1300\n");
  auto probes = driver_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "intel0/utilization", 1s), std::nullopt);
  fake.with("sys/class/drm/card0/gt/gt0/rc6_residency_ms", "1250\n");
  EXPECT_DOUBLE_EQ(read(probes, "intel0/utilization", 2s).value(), 75);
  EXPECT_EQ(read(probes, "intel0/clock"), 1300);
}

TEST(DriverProbes, ReadAnIntelNpu) {
  FakeSystem fake;
  fake.with("sys/class/accel/accel0/device/npu_busy_time_us", "0\n")
      .with("sys/class/accel/accel0/device/npu_memory_utilization", "4096\n")
      .with("sys/class/accel/accel0/device/npu_current_frequency_mhz", "1400\n");
  auto probes = driver_probes(settings_of(fake));
  EXPECT_EQ(read(probes, "npu0/utilization", 1s), std::nullopt);
  fake.with("sys/class/accel/accel0/device/npu_busy_time_us", "400000\n");
  EXPECT_DOUBLE_EQ(read(probes, "npu0/utilization", 2s).value(), 40);
  EXPECT_EQ(read(probes, "npu0/clock"), 1400);
}

TEST(DriverProbes, SayThatThereAreNone) {
  const FakeSystem empty;
  auto probes = driver_probes(settings_of(empty));
  EXPECT_EQ(reason(probes, "gpu"), "no driver shows counters in /sys/class/drm");
  EXPECT_EQ(reason(probes, "npu"), "no driver shows counters in /sys/class/accel");
}

TEST(Probes, HaveUniqueNames) {
  auto probes = open_probes({});
  std::vector<std::string> names;
  for (const HwProbe& probe : probes) names.push_back(probe.channel.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace hone
