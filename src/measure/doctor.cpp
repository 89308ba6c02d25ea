#include "measure/doctor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"

namespace hone {
namespace {

// Half a process beside ours is seen as noise of some percent on two CPUs.
constexpr double most_load = 0.5;
// Percent of time in which some process waited for a CPU.
constexpr double most_pressure = 5;
// A sensor this near to its limit will slow the machine down in a longer run.
constexpr double least_headroom_celsius = 10;
constexpr std::uint64_t least_free_memory = std::uint64_t{1} << 30;

Check fine(std::string what, std::string why) {
  return {CheckState::ok, std::move(what), std::move(why), {}};
}
Check warning(std::string what, std::string why, std::string hint) {
  return {CheckState::warn, std::move(what), std::move(why), std::move(hint)};
}
Check not_told(std::string what, std::string why) {
  return {CheckState::unknown, std::move(what), std::move(why), {}};
}

// "1.5", "2".
std::string number(double value) {
  const auto tenths = static_cast<std::int64_t>(std::llround(value * 10));
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text;
}

Check check_cpus(const MachineFacts& machine) {
  const CpuFacts& cpu = machine.cpu;
  const std::string seen = std::to_string(cpu.allowed) + " of " + std::to_string(cpu.online) +
                           " CPUs are for this process";
  if (cpu.usable() > 1) return fine("CPUs", seen);
  return warning("CPUs", seen + ": whatever else runs takes its time from the measured runs",
                 "measure with two CPUs or more");
}

Check check_quota(const MachineFacts& machine) {
  const std::optional<double>& quota = machine.cpu.quota;
  if (!quota) return fine("CPU quota", "no cgroup limits processor time");
  return warning("CPU quota",
                 "a cgroup limits processor time to " + number(*quota) +
                     " CPUs: threads beyond it are stopped until the next period",
                 "raise the limit of the container, or run with --threads " +
                     std::to_string(std::max(1, static_cast<int>(std::floor(*quota)))));
}

Check check_governor(const MachineFacts& machine) {
  const std::vector<std::string>& governors = machine.cpu.governors;
  if (governors.empty()) {
    return not_told("CPU governor",
                    "this machine does not show its clocks: that they stay the same is not known");
  }
  if (governors.size() == 1 && governors[0] == "performance") {
    return fine("CPU governor", "performance");
  }
  return warning("CPU governor",
                 join(governors, ", ") + ": the clock follows the load, so short runs are slower",
                 "sudo cpupower frequency-set -g performance");
}

Check check_boost(const MachineFacts& machine) {
  const std::optional<bool>& may_boost = machine.cpu.may_boost;
  if (!may_boost) return not_told("turbo", "this machine does not tell");
  if (!*may_boost) return fine("turbo", "off");
  return warning("turbo", "on: the clock depends on temperature and on what other cores do",
                 "compare arms interleaved (hone compare), or switch it off while measuring");
}

Check check_clock_limit(const MachineFacts& machine) {
  const CpuFacts& cpu = machine.cpu;
  if (!cpu.allowed_mhz || !cpu.most_mhz) {
    return not_told("clock limit", "this machine does not show its clocks");
  }
  if (*cpu.allowed_mhz >= 0.99 * *cpu.most_mhz) return fine("clock limit", "none");
  return warning(
      "clock limit",
      "the system allows " + number(*cpu.allowed_mhz) + " of " + number(*cpu.most_mhz) + " MHz",
      "look at scaling_max_freq and the power profile");
}

Check check_smt(const MachineFacts& machine) {
  const CpuFacts& cpu = machine.cpu;
  if (!cpu.has_active_smt) return not_told("SMT", "this machine does not tell");
  if (!*cpu.has_active_smt) return fine("SMT", "off: every CPU is a core");
  const int cores = std::min(cpu.physical.value_or(cpu.usable()), cpu.usable());
  return warning("SMT", "on: two CPUs share a core, and what runs on one slows the other",
                 "run with --threads " + std::to_string(std::max(1, cores)) + ", one per core");
}

Check check_load(const MachineFacts& machine) {
  if (!machine.load) return not_told("load", "this machine does not tell");
  const std::string seen = number(machine.load->one_minute) + " in the last minute";
  if (machine.load->one_minute <= most_load) return fine("load", seen);
  return warning("load", seen + ": other processes run", "wait for them to end, or stop them");
}

Check check_pressure(const MachineFacts& machine) {
  const std::optional<double>& pressure = machine.pressure.cpu;
  if (!pressure) return not_told("CPU pressure", "this kernel does not tell");
  const std::string seen =
      number(*pressure) + " % of the last ten seconds somebody waited for a CPU";
  if (*pressure <= most_pressure) return fine("CPU pressure", seen);
  return warning("CPU pressure", seen, "wait for other processes to end");
}

Check check_memory(const MachineFacts& machine) {
  const MemoryFacts& memory = machine.memory;
  if (!memory.available_bytes) return not_told("memory", "this machine does not tell");
  const std::uint64_t free = std::min(*memory.available_bytes, memory.usable_bytes());
  const std::string seen =
      format_bytes(free) + " of " + format_bytes(memory.usable_bytes()) + " are free";
  if (free >= least_free_memory) return fine("memory", seen);
  return warning("memory", seen + ": large models will not fit", "free some of it");
}

Check check_swap(const MachineFacts& machine) {
  const MemoryFacts& memory = machine.memory;
  if (!memory.swap_used_bytes) return not_told("swap", "this machine does not tell");
  if (*memory.swap_used_bytes == 0) return fine("swap", "not in use");
  return warning("swap",
                 format_bytes(*memory.swap_used_bytes) +
                     " are in use: pages that come back from it make spikes",
                 "free memory, then sudo swapoff -a");
}

Check check_temperature(const MachineFacts& machine) {
  if (machine.temperatures.empty()) {
    return not_told("temperature", "this machine shows no sensors");
  }
  const TemperatureFacts& hottest =
      *std::ranges::max_element(machine.temperatures, {}, &TemperatureFacts::celsius);
  for (const TemperatureFacts& sensor : machine.temperatures) {
    if (!sensor.limit_celsius) continue;
    if (sensor.celsius < *sensor.limit_celsius - least_headroom_celsius) continue;
    return warning("temperature",
                   sensor.sensor + " is at " + number(sensor.celsius) + " C and slows down at " +
                       number(*sensor.limit_celsius) + " C",
                   "let the machine cool down");
  }
  return fine("temperature", hottest.sensor + " is at " + number(hottest.celsius) + " C");
}

Check check_throttling(const MachineFacts& machine) {
  const std::optional<std::int64_t>& events = machine.thermal_throttle_events;
  if (!events) return not_told("thermal throttling", "this machine does not count it");
  if (*events == 0) return fine("thermal throttling", "never since it started");
  return warning("thermal throttling",
                 std::to_string(*events) + " times since it started: it gets too hot under load",
                 "keep runs short, or cool it better");
}

Check check_power(const MachineFacts& machine) {
  if (!machine.is_on_battery) return fine("power", "no battery");
  if (!*machine.is_on_battery) return fine("power", "from the mains");
  return warning("power", "from the battery: clocks are lower and change", "plug it in");
}

Check check_virtualization(const MachineFacts& machine) {
  if (!machine.hypervisor) return fine("virtual machine", "no");
  const std::string name = *machine.hypervisor == "unknown" ? "a hypervisor" : *machine.hypervisor;
  return warning("virtual machine",
                 "under " + name + ": neighbours share the hardware, and its clocks are hidden",
                 "compare arms interleaved (hone compare) and believe no single run");
}

Check check_numa(const MachineFacts& machine) {
  const std::optional<int>& nodes = machine.cpu.numa_nodes;
  if (!nodes) return not_told("NUMA", "this machine does not tell");
  if (*nodes == 1) return fine("NUMA", "one node");
  return warning("NUMA",
                 std::to_string(*nodes) + " nodes: memory may be far from the CPU that uses it",
                 "pin to one node: numactl --cpunodebind=0 --membind=0");
}

}  // namespace

std::vector<Check> check_machine(const MachineFacts& machine) {
  std::vector<Check> checks;
  for (const auto check :
       {check_cpus, check_quota, check_governor, check_boost, check_clock_limit, check_smt,
        check_load, check_pressure, check_memory, check_swap, check_temperature, check_throttling,
        check_power, check_virtualization, check_numa}) {
    checks.push_back(check(machine));
  }
  return checks;
}

}  // namespace hone
