#include "base/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/cgroup.h"
#include "base/cpu_model.h"
#include "base/folder.h"
#include "base/text.h"

namespace hone {
namespace {

// A value of /etc/os-release, without its quotes.
std::string release_value(std::string_view text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || std::string_view(line).substr(0, equals) != key) continue;
    std::string_view value = trimmed(std::string_view(line).substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'')) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

std::string board_of(const SystemRoots& roots) {
  if (std::optional<std::string> model = read_line(roots.sys / "firmware/devicetree/base/model")) {
    model->erase(std::remove(model->begin(), model->end(), '\0'), model->end());
    return *model;
  }
  const Path dmi = roots.sys / "class/dmi/id";
  const std::string vendor = read_line(dmi / "sys_vendor").value_or("");
  const std::string product = read_line(dmi / "product_name").value_or("");
  return std::string(trimmed(vendor + " " + product));
}

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// One file of every CPU's cpufreq folder, kHz to MHz.
std::vector<double> megahertz(const std::vector<Path>& cpus, const char* file) {
  std::vector<double> values;
  for (const Path& cpu : cpus) {
    const std::optional<std::int64_t> kilohertz = read_integer(cpu / "cpufreq" / file);
    if (kilohertz) values.push_back(static_cast<double>(*kilohertz) / 1000);
  }
  return values;
}

std::optional<double> largest(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return *std::ranges::max_element(values);
}

std::optional<bool> boost_of(const Path& cpu_folder) {
  if (const auto boost = read_integer(cpu_folder / "cpufreq/boost")) return *boost != 0;
  if (const auto off = read_integer(cpu_folder / "intel_pstate/no_turbo")) return *off == 0;
  return std::nullopt;
}

// Each core once, by the list of its threads.
std::optional<int> physical_cores(const std::vector<Path>& cpus) {
  std::set<std::string> cores;
  for (const Path& cpu : cpus) {
    std::optional<std::string> threads = read_line(cpu / "topology/core_cpus_list");
    if (!threads) threads = read_line(cpu / "topology/thread_siblings_list");
    if (threads) cores.insert(*threads);
  }
  if (cores.empty()) return std::nullopt;
  return static_cast<int>(cores.size());
}

int count_of(const std::optional<std::string>& list) {
  return list ? static_cast<int>(parse_cpu_list(*list).size()) : 0;
}

void read_frequencies(const Path& folder, const std::vector<Path>& cpus, CpuFacts& cpu) {
  std::set<std::string> governors;
  for (const Path& each : cpus) {
    if (auto governor = read_line(each / "cpufreq/scaling_governor")) governors.insert(*governor);
  }
  cpu.governors.assign(governors.begin(), governors.end());
  cpu.current_mhz = mean(megahertz(cpus, "scaling_cur_freq"));
  cpu.most_mhz = largest(megahertz(cpus, "cpuinfo_max_freq"));
  cpu.allowed_mhz = largest(megahertz(cpus, "scaling_max_freq"));
  cpu.may_boost = boost_of(folder);
}

CpuFacts read_cpu(const SystemRoots& roots, std::string_view cpuinfo) {
  const Path folder = roots.sys / "devices/system/cpu";
  const std::vector<Path> cpus = numbered_entries(folder, "cpu");
  const auto status = parse_key_values(read_text(roots.proc / "self/status").value_or(""));

  CpuFacts cpu;
  cpu.model = cpu_model(cpuinfo);
  cpu.online = count_of(read_line(folder / "online"));
  if (cpu.online == 0) cpu.online = logical_cpus(cpuinfo);
  const auto allowed = status.find("Cpus_allowed_list");
  if (allowed != status.end()) cpu.allowed = count_of(allowed->second);
  if (cpu.allowed == 0) cpu.allowed = cpu.online;
  cpu.quota = read_cgroup_limits(roots).cpus;
  cpu.physical = physical_cores(cpus);
  if (const auto smt = read_integer(folder / "smt/active")) cpu.has_active_smt = *smt != 0;
  const int nodes = count_of(read_line(roots.sys / "devices/system/node/online"));
  if (nodes > 0) cpu.numa_nodes = nodes;
  read_frequencies(folder, cpus, cpu);
  return cpu;
}

std::optional<std::uint64_t> kibibytes(const std::map<std::string, std::string>& values,
                                       const std::string& key) {
  const auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  const std::string_view text = found->second;  // "24684100 kB"
  const auto number = parse_number<std::uint64_t>(text.substr(0, text.find(' ')));
  if (!number) return std::nullopt;
  return *number * 1024;
}

MemoryFacts read_memory(const SystemRoots& roots) {
  const auto values = parse_key_values(read_text(roots.proc / "meminfo").value_or(""));
  MemoryFacts memory;
  memory.total_bytes = kibibytes(values, "MemTotal").value_or(0);
  memory.available_bytes = kibibytes(values, "MemAvailable");
  memory.limit_bytes = read_cgroup_limits(roots).memory_bytes;
  memory.swap_total_bytes = kibibytes(values, "SwapTotal");
  const std::optional<std::uint64_t> swap_free = kibibytes(values, "SwapFree");
  if (memory.swap_total_bytes && swap_free && *swap_free <= *memory.swap_total_bytes) {
    memory.swap_used_bytes = *memory.swap_total_bytes - *swap_free;
  }
  return memory;
}

std::optional<LoadFacts> read_load(const SystemRoots& roots) {
  const std::vector<std::string> parts = split(read_line(roots.proc / "loadavg").value_or(""), ' ');
  if (parts.size() < 3) return std::nullopt;
  const auto one = parse_number<double>(parts[0]);
  const auto five = parse_number<double>(parts[1]);
  const auto fifteen = parse_number<double>(parts[2]);
  if (!one || !five || !fifteen) return std::nullopt;
  return LoadFacts{*one, *five, *fifteen};
}

std::vector<TemperatureFacts> read_temperatures(const SystemRoots& roots) {
  std::vector<TemperatureFacts> temperatures;
  for (const Path& zone : numbered_entries(roots.sys / "class/thermal", "thermal_zone")) {
    const std::optional<std::int64_t> millidegrees = read_integer(zone / "temp");
    if (!millidegrees) continue;
    TemperatureFacts facts;
    facts.sensor = read_line(zone / "type").value_or(zone.filename().string());
    facts.celsius = static_cast<double>(*millidegrees) / 1000;
    for (int trip = 0; read_line(zone / ("trip_point_" + std::to_string(trip) + "_type")); ++trip) {
      const std::string prefix = "trip_point_" + std::to_string(trip);
      const auto limit = read_integer(zone / (prefix + "_temp"));
      if (read_line(zone / (prefix + "_type")) != "passive" || !limit || *limit <= 0) continue;
      facts.limit_celsius = static_cast<double>(*limit) / 1000;
    }
    temperatures.push_back(std::move(facts));
  }
  for (const Path& chip : numbered_entries(roots.sys / "class/hwmon", "hwmon")) {
    const std::optional<std::string> name = read_line(chip / "name");
    // AMD's own sensor has no thermal zone; most others do and would be listed twice.
    const std::optional<std::int64_t> millidegrees = read_integer(chip / "temp1_input");
    if (name != "k10temp" || !millidegrees) continue;
    temperatures.push_back({*name, static_cast<double>(*millidegrees) / 1000, {}});
  }
  return temperatures;
}

std::optional<std::int64_t> read_throttle_events(const SystemRoots& roots) {
  std::optional<std::int64_t> events;
  for (const Path& cpu : numbered_entries(roots.sys / "devices/system/cpu", "cpu")) {
    const auto count = read_integer(cpu / "thermal_throttle/core_throttle_count");
    if (count) events = events.value_or(0) + *count;
  }
  return events;
}

std::optional<bool> read_battery(const SystemRoots& roots) {
  std::optional<bool> is_on_battery;
  for (const FolderEntry& supply : list_folder(roots.sys / "class/power_supply").value_or({})) {
    // A mouse has a battery too; its scope says so.
    if (read_line(supply.path / "scope") == "Device") continue;
    if (read_line(supply.path / "type") != "Battery") continue;
    const bool discharges = read_line(supply.path / "status") == "Discharging";
    is_on_battery = is_on_battery.value_or(false) || discharges;
  }
  return is_on_battery;
}

std::optional<std::string> read_hypervisor(const SystemRoots& roots, std::string_view cpuinfo,
                                           const std::string& board) {
  if (auto type = read_line(roots.sys / "hypervisor/type")) return type;  // "xen"
  const std::string text = lowercase(board);
  for (const char* name : {"KVM", "QEMU", "VMware", "VirtualBox", "Hyper-V", "Firecracker",
                           "Google Compute Engine", "Amazon EC2"}) {
    if (text.find(lowercase(name)) != std::string::npos) return name;
  }
  if (text.starts_with("microsoft corporation virtual machine")) return "Hyper-V";
  if (has_cpu_flag(cpuinfo, "hypervisor")) return "unknown";
  return std::nullopt;
}

}  // namespace

int CpuFacts::usable() const {
  if (!quota) return allowed;
  return std::max(1, std::min(allowed, static_cast<int>(std::ceil(*quota))));
}

std::uint64_t MemoryFacts::usable_bytes() const {
  return limit_bytes ? std::min(*limit_bytes, total_bytes) : total_bytes;
}

std::optional<double> read_pressure(const Path& file) {
  const std::string line = read_line(file).value_or("");  // "some avg10=1.23 avg60=..."
  const std::size_t start = line.find("avg10=");
  if (start == std::string::npos) return std::nullopt;
  const std::string_view value = std::string_view(line).substr(start + 6);
  return parse_number<double>(value.substr(0, value.find(' ')));
}

MachineFacts read_machine(const SystemRoots& roots) {
  const std::string cpuinfo = read_text(roots.proc / "cpuinfo").value_or("");
  utsname system{};
  ::uname(&system);

  MachineFacts machine;
  machine.os = release_value(read_text(roots.etc / "os-release").value_or(""), "PRETTY_NAME");
  machine.kernel = read_line(roots.proc / "sys/kernel/osrelease").value_or(system.release);
  machine.arch = system.machine;
  machine.board = board_of(roots);
  machine.cpu = read_cpu(roots, cpuinfo);
  machine.memory = read_memory(roots);
  machine.load = read_load(roots);
  machine.pressure = {read_pressure(roots.proc / "pressure/cpu"),
                      read_pressure(roots.proc / "pressure/memory"),
                      read_pressure(roots.proc / "pressure/io")};
  machine.temperatures = read_temperatures(roots);
  machine.thermal_throttle_events = read_throttle_events(roots);
  machine.is_on_battery = read_battery(roots);
  machine.hypervisor = read_hypervisor(roots, cpuinfo, machine.board);
  return machine;
}

}  // namespace hone
