#include "base/machine.h"

#include <gtest/gtest.h>

#include "base/fake_system.h"

namespace hone {
namespace {

constexpr auto two_cpus =
    "processor\t: 0\nmodel name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2 hypervisor\n\n"
    "processor\t: 1\nmodel name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2 hypervisor\n";

TEST(Machine, SaysWhichSystemItIs) {
  FakeSystem fake;
  fake.with("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .with("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
      .with("sys/class/dmi/id/sys_vendor", "LENOVO\n")
      .with("sys/class/dmi/id/product_name", "21HM\n");
  const MachineFacts machine = read_machine(fake.roots());
  EXPECT_EQ(machine.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(machine.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(machine.board, "LENOVO 21HM");
}

TEST(Machine, CountsOnlyTheCpusItMayUse) {
  FakeSystem fake;
  fake.with("proc/cpuinfo", two_cpus)
      .with("sys/devices/system/cpu/online", "0-7\n")
      .with("proc/self/status", "Name:\thone\nCpus_allowed_list:\t0-3,6\n");
  const CpuFacts cpu = read_machine(fake.roots()).cpu;
  EXPECT_EQ(cpu.online, 8);
  EXPECT_EQ(cpu.allowed, 5);
  EXPECT_EQ(cpu.usable(), 5);
}

TEST(Machine, HasNoMoreCpusThanItsQuotaRoundedUp) {
  FakeSystem fake;
  fake.with("proc/cpuinfo", two_cpus)
      .with("sys/devices/system/cpu/online", "0-7\n")
      .with("proc/self/cgroup", "0::/box\n")
      .with("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  const CpuFacts cpu = read_machine(fake.roots()).cpu;
  EXPECT_EQ(cpu.quota, 1.5);
  EXPECT_EQ(cpu.allowed, 8);
  EXPECT_EQ(cpu.usable(), 2);
}

TEST(Machine, FallsBackToCpuinfoWhereSysIsHidden) {
  FakeSystem fake;
  fake.with("proc/cpuinfo", two_cpus);
  EXPECT_EQ(read_machine(fake.roots()).cpu.usable(), 2);
}

TEST(Machine, KnowsCoresFromThreads) {
  FakeSystem fake;
  fake.with("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n")
      .with("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3\n")
      .with("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n")
      .with("sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n")
      .with("sys/devices/system/cpu/smt/active", "1\n");
  const CpuFacts cpu = read_machine(fake.roots()).cpu;
  EXPECT_EQ(cpu.physical, 2);
  EXPECT_EQ(cpu.has_active_smt, true);
}

TEST(Machine, ReadsGovernorAndFrequencies) {
  FakeSystem fake;
  for (const std::string cpu : {"cpu0", "cpu1"}) {
    const std::string folder = "sys/devices/system/cpu/" + cpu + "/cpufreq/";
    fake.with(folder + "scaling_governor", "powersave\n")
        .with(folder + "scaling_cur_freq", cpu == "cpu0" ? "1000000\n" : "3000000\n")
        .with(folder + "scaling_max_freq", "3500000\n")
        .with(folder + "cpuinfo_max_freq", "4500000\n");
  }
  fake.with("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  const CpuFacts cpu = read_machine(fake.roots()).cpu;
  EXPECT_EQ(cpu.governors, std::vector<std::string>{"powersave"});
  EXPECT_EQ(cpu.current_mhz, 2000);
  EXPECT_EQ(cpu.allowed_mhz, 3500);
  EXPECT_EQ(cpu.most_mhz, 4500);
  EXPECT_EQ(cpu.may_boost, false);
}

TEST(Machine, LeavesWhatTheMachineDoesNotTellWithoutValue) {
  const FakeSystem empty;
  const MachineFacts machine = read_machine(empty.roots());
  EXPECT_TRUE(machine.cpu.governors.empty());
  EXPECT_EQ(machine.cpu.current_mhz, std::nullopt);
  EXPECT_EQ(machine.cpu.may_boost, std::nullopt);
  EXPECT_EQ(machine.cpu.physical, std::nullopt);
  EXPECT_EQ(machine.load.has_value(), false);
  EXPECT_EQ(machine.pressure.cpu, std::nullopt);
  EXPECT_TRUE(machine.temperatures.empty());
  EXPECT_EQ(machine.thermal_throttle_events, std::nullopt);
  EXPECT_EQ(machine.is_on_battery, std::nullopt);
  EXPECT_EQ(machine.hypervisor, std::nullopt);
  EXPECT_EQ(machine.memory.available_bytes, std::nullopt);
}

TEST(Machine, HasNoMoreMemoryThanItsGroupAllows) {
  FakeSystem fake;
  fake.with("proc/meminfo",
            "MemTotal:  1000 kB\nMemAvailable:  600 kB\nSwapTotal: 200 kB\nSwapFree: 50 kB\n")
      .with("proc/self/cgroup", "4:memory:/box\n")
      .with("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "512000\n");
  const MemoryFacts memory = read_machine(fake.roots()).memory;
  EXPECT_EQ(memory.total_bytes, 1000u * 1024);
  EXPECT_EQ(memory.available_bytes, 600u * 1024);
  EXPECT_EQ(memory.swap_used_bytes, 150u * 1024);
  EXPECT_EQ(memory.limit_bytes, 512000u);
  EXPECT_EQ(memory.usable_bytes(), 512000u);
}

TEST(Machine, ReadsLoadAndPressure) {
  FakeSystem fake;
  fake.with("proc/loadavg", "5.24 6.66 5.17 8/141 340\n")
      .with("proc/pressure/cpu",
            "some avg10=95.46 avg60=88.05 avg300=90.40 total=1\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  const MachineFacts machine = read_machine(fake.roots());
  EXPECT_EQ(machine.load->one_minute, 5.24);
  EXPECT_EQ(machine.load->fifteen_minutes, 5.17);
  EXPECT_EQ(machine.pressure.cpu, 95.46);
  EXPECT_EQ(machine.pressure.io, std::nullopt);
}

TEST(Machine, ReadsTemperaturesWithTheirLimits) {
  FakeSystem fake;
  fake.with("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
      .with("sys/class/thermal/thermal_zone0/temp", "61500\n")
      .with("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical\n")
      .with("sys/class/thermal/thermal_zone0/trip_point_0_temp", "105000\n")
      .with("sys/class/thermal/thermal_zone0/trip_point_1_type", "passive\n")
      .with("sys/class/thermal/thermal_zone0/trip_point_1_temp", "95000\n")
      .with("sys/class/hwmon/hwmon3/name", "k10temp\n")
      .with("sys/class/hwmon/hwmon3/temp1_input", "48250\n")
      .with("sys/class/hwmon/hwmon4/name", "nvme\n")
      .with("sys/class/hwmon/hwmon4/temp1_input", "30000\n");
  const auto temperatures = read_machine(fake.roots()).temperatures;
  ASSERT_EQ(temperatures.size(), 2u);
  EXPECT_EQ(temperatures[0].sensor, "x86_pkg_temp");
  EXPECT_EQ(temperatures[0].celsius, 61.5);
  EXPECT_EQ(temperatures[0].limit_celsius, 95);
  EXPECT_EQ(temperatures[1].sensor, "k10temp");
  EXPECT_EQ(temperatures[1].celsius, 48.25);
}

TEST(Machine, SumsThermalThrottleEventsOverCpus) {
  FakeSystem fake;
  fake.with("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n")
      .with("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
  EXPECT_EQ(read_machine(fake.roots()).thermal_throttle_events, 7);
}

TEST(Machine, RunsOnBatteryOnlyWhenItsOwnDischarges) {
  FakeSystem fake;
  fake.with("sys/class/power_supply/hid/type", "Battery\n")
      .with("sys/class/power_supply/hid/scope", "Device\n")
      .with("sys/class/power_supply/hid/status", "Discharging\n");
  EXPECT_EQ(read_machine(fake.roots()).is_on_battery, std::nullopt);
  fake.with("sys/class/power_supply/BAT0/type", "Battery\n")
      .with("sys/class/power_supply/BAT0/status", "Charging\n");
  EXPECT_EQ(read_machine(fake.roots()).is_on_battery, false);
  fake.with("sys/class/power_supply/BAT0/status", "Discharging\n");
  EXPECT_EQ(read_machine(fake.roots()).is_on_battery, true);
}

TEST(Machine, NamesTheHypervisorWhereItCan) {
  FakeSystem fake;
  fake.with("proc/cpuinfo", two_cpus);
  EXPECT_EQ(read_machine(fake.roots()).hypervisor, "unknown");
  fake.with("sys/class/dmi/id/sys_vendor", "QEMU\n");
  EXPECT_EQ(read_machine(fake.roots()).hypervisor, "QEMU");
  fake.with("sys/class/dmi/id/sys_vendor", "Microsoft Corporation\n")
      .with("sys/class/dmi/id/product_name", "Virtual Machine\n");
  EXPECT_EQ(read_machine(fake.roots()).hypervisor, "Hyper-V");
  fake.with("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(read_machine(fake.roots()).hypervisor, "xen");
}

TEST(Machine, OfThisTestHasCpusAndMemory) {
  const MachineFacts machine = read_machine();
  EXPECT_GE(machine.cpu.usable(), 1);
  EXPECT_GT(machine.memory.usable_bytes(), 0u);
  EXPECT_FALSE(machine.kernel.empty());
  EXPECT_FALSE(machine.arch.empty());
}

}  // namespace
}  // namespace hone
