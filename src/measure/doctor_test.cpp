#include "measure/doctor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// Nothing to complain about.
MachineFacts quiet_machine() {
  MachineFacts machine;
  machine.cpu.online = 8;
  machine.cpu.allowed = 8;
  machine.cpu.physical = 8;
  machine.cpu.has_active_smt = false;
  machine.cpu.numa_nodes = 1;
  machine.cpu.governors = {"performance"};
  machine.cpu.allowed_mhz = 4000;
  machine.cpu.most_mhz = 4000;
  machine.cpu.may_boost = false;
  machine.memory.total_bytes = 16 * gib;
  machine.memory.available_bytes = 12 * gib;
  machine.memory.swap_used_bytes = 0;
  machine.load = LoadFacts{0.1, 0.1, 0.1};
  machine.pressure.cpu = 0.2;
  machine.temperatures = {{"cpu", 45, 95}};
  machine.thermal_throttle_events = 0;
  return machine;
}

Check check_named(const MachineFacts& machine, std::string_view what) {
  for (Check& check : check_machine(machine)) {
    if (check.what == what) return check;
  }
  return {CheckState::unknown, "no such check", {}, {}};
}

void expect_warning(const MachineFacts& machine, std::string_view what, std::string_view why,
                    std::string_view hint) {
  const Check check = check_named(machine, what);
  EXPECT_EQ(check.state, CheckState::warn) << what;
  EXPECT_EQ(check.why, why);
  EXPECT_EQ(check.hint, hint);
}

TEST(Doctor, FindsNothingOnAQuietMachine) {
  for (const Check& check : check_machine(quiet_machine())) {
    EXPECT_EQ(check.state, CheckState::ok) << check.what << ": " << check.why;
    EXPECT_EQ(check.hint, "");
  }
}

TEST(Doctor, ChecksEachThingOnce) {
  std::set<std::string> seen;
  for (const Check& check : check_machine({})) EXPECT_TRUE(seen.insert(check.what).second);
}

TEST(Doctor, CallsWhatIsNotToldUnknown) {
  MachineFacts silent;
  silent.cpu.online = silent.cpu.allowed = 2;
  for (const char* what : {"CPU governor", "turbo", "clock limit", "SMT", "load", "CPU pressure",
                           "memory", "swap", "temperature", "thermal throttling", "NUMA"}) {
    EXPECT_EQ(check_named(silent, what).state, CheckState::unknown) << what;
  }
}

TEST(Doctor, WarnsAboutASingleCpu) {
  MachineFacts machine = quiet_machine();
  machine.cpu.allowed = 1;
  expect_warning(machine, "CPUs",
                 "1 of 8 CPUs are for this process: whatever else runs takes its time from the "
                 "measured runs",
                 "measure with two CPUs or more");
}

TEST(Doctor, WarnsAboutAQuota) {
  MachineFacts machine = quiet_machine();
  machine.cpu.quota = 2.5;
  expect_warning(machine, "CPU quota",
                 "a cgroup limits processor time to 2.5 CPUs: threads beyond it are stopped until "
                 "the next period",
                 "raise the limit of the container, or run with --threads 2");
  machine.cpu.quota = 0.5;
  EXPECT_TRUE(check_named(machine, "CPU quota").hint.ends_with("--threads 1"));
}

TEST(Doctor, WarnsAboutAGovernorThatFollowsTheLoad) {
  MachineFacts machine = quiet_machine();
  machine.cpu.governors = {"powersave"};
  expect_warning(machine, "CPU governor",
                 "powersave: the clock follows the load, so short runs are slower",
                 "sudo cpupower frequency-set -g performance");
}

TEST(Doctor, WarnsAboutTurboAndAClockLimit) {
  MachineFacts machine = quiet_machine();
  machine.cpu.may_boost = true;
  machine.cpu.allowed_mhz = 2500;
  EXPECT_EQ(check_named(machine, "turbo").state, CheckState::warn);
  EXPECT_EQ(check_named(machine, "clock limit").why, "the system allows 2500 of 4000 MHz");
}

TEST(Doctor, AdvisesOneThreadPerCoreUnderSmt) {
  MachineFacts machine = quiet_machine();
  machine.cpu.has_active_smt = true;
  machine.cpu.physical = 4;
  expect_warning(machine, "SMT", "on: two CPUs share a core, and what runs on one slows the other",
                 "run with --threads 4, one per core");
}

TEST(Doctor, WarnsAboutOtherProcesses) {
  MachineFacts machine = quiet_machine();
  machine.load->one_minute = 5.24;
  machine.pressure.cpu = 95.46;
  EXPECT_EQ(check_named(machine, "load").why, "5.2 in the last minute: other processes run");
  EXPECT_EQ(check_named(machine, "CPU pressure").why,
            "95.5 % of the last ten seconds somebody waited for a CPU");
}

TEST(Doctor, WarnsAboutLittleMemoryAndSwap) {
  MachineFacts machine = quiet_machine();
  machine.memory.limit_bytes = gib / 2;
  machine.memory.swap_used_bytes = 300 << 20;
  EXPECT_EQ(check_named(machine, "memory").why,
            "512 MiB of 512 MiB are free: large models will not fit");
  EXPECT_EQ(check_named(machine, "swap").why,
            "300 MiB are in use: pages that come back from it make spikes");
}

TEST(Doctor, WarnsWhenASensorIsNearItsLimit) {
  MachineFacts machine = quiet_machine();
  machine.temperatures = {{"gpu", 80, {}}, {"cpu", 88.5, 95}};
  expect_warning(machine, "temperature", "cpu is at 88.5 C and slows down at 95 C",
                 "let the machine cool down");
  machine.temperatures[1].celsius = 60;
  EXPECT_EQ(check_named(machine, "temperature").why, "gpu is at 80 C");
}

TEST(Doctor, WarnsAboutThrottlingBatteryAndHypervisor) {
  MachineFacts machine = quiet_machine();
  machine.thermal_throttle_events = 12;
  machine.is_on_battery = true;
  machine.hypervisor = "unknown";
  machine.cpu.numa_nodes = 2;
  EXPECT_EQ(check_named(machine, "thermal throttling").state, CheckState::warn);
  EXPECT_EQ(check_named(machine, "power").hint, "plug it in");
  EXPECT_EQ(check_named(machine, "virtual machine").why,
            "under a hypervisor: neighbours share the hardware, and its clocks are hidden");
  EXPECT_EQ(check_named(machine, "NUMA").state, CheckState::warn);
  machine.is_on_battery = false;
  EXPECT_EQ(check_named(machine, "power").why, "from the mains");
}

}  // namespace
}  // namespace hone
