#pragma once
// The facts of this machine, as far as it tells them to this process: a container's limits and a
// CPU affinity are seen. What is not known has no value.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system_files.h"

namespace hone {

struct CpuFacts {
  std::string model;                   // "AMD EPYC 7B13", "4x Cortex-A55 + 4x Cortex-A76"
  int online = 0;                      // logical CPUs of the machine
  int allowed = 0;                     // of them, those this process may run on
  std::optional<double> quota;         // the cgroup's, in CPUs
  std::optional<int> physical;         // cores; SMT siblings count once
  std::optional<bool> has_active_smt;  // two threads share a core
  std::optional<int> numa_nodes;
  std::vector<std::string> governors;  // distinct ones; empty: cpufreq is absent
  std::optional<double> current_mhz;   // the mean over CPUs
  std::optional<double> most_mhz;      // what the hardware can do
  std::optional<double> allowed_mhz;   // what the system's policy allows
  std::optional<bool> may_boost;       // turbo is on

  // How many threads can run at once: affinity and quota (rounded up) are limits.
  int usable() const;
};

struct MemoryFacts {
  std::uint64_t total_bytes = 0;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> limit_bytes;  // the cgroup's
  std::optional<std::uint64_t> swap_total_bytes;
  std::optional<std::uint64_t> swap_used_bytes;

  // What this process can use: the limit where it is below the machine's total.
  std::uint64_t usable_bytes() const;
};

// The mean number of runnable processes.
struct LoadFacts {
  double one_minute = 0;
  double five_minutes = 0;
  double fifteen_minutes = 0;
};

// The share of time, in percent over the last ten seconds, in which some process waited.
struct PressureFacts {
  std::optional<double> cpu;
  std::optional<double> memory;
  std::optional<double> io;
};

struct TemperatureFacts {
  std::string sensor;  // "x86_pkg_temp"
  double celsius = 0;
  std::optional<double> limit_celsius;  // where the kernel begins to slow down
};

struct MachineFacts {
  std::string os;      // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;  // "6.1.0-18-amd64"
  std::string arch;    // "x86_64"
  std::string board;   // "Raspberry Pi 5 Model B", "LENOVO 21HM"; empty when not told
  CpuFacts cpu;
  MemoryFacts memory;
  std::optional<LoadFacts> load;
  PressureFacts pressure;
  std::vector<TemperatureFacts> temperatures;
  std::optional<std::int64_t> thermal_throttle_events;  // since boot, over all CPUs
  std::optional<bool> is_on_battery;                    // no value: there is no battery
  std::optional<std::string> hypervisor;  // "KVM", or "unknown" when only its mark is seen
};

MachineFacts read_machine(const SystemRoots& roots = {});

// The "some" share of the last ten seconds in a file of /proc/pressure, in percent.
std::optional<double> read_pressure(const Path& file);

}  // namespace hone
