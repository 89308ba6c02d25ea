#include <algorithm>
#include <utility>

#include "base/cgroup.h"
#include "base/machine.h"
#include "base/text.h"
#include "measure/hw/probe.h"

namespace hone {
namespace {

using Reader = std::function<std::optional<double>()>;

// A probe that reads a value as it is, if it can be read now.
HwProbe value_probe(HwChannel channel, Reader read, std::string reason_if_absent) {
  if (!read()) return absent(std::move(channel), std::move(reason_if_absent));
  return {std::move(channel), [read = std::move(read)](Nanoseconds) { return read(); }};
}

// The first line of /proc/stat: ticks spent in each kind of work since boot.
struct CpuTicks {
  double idle = 0;
  double stolen = 0;
  double total = 0;
};

std::optional<CpuTicks> read_ticks(const SystemRoots& roots) {
  const std::string line = read_line(roots.proc / "stat").value_or("");
  if (!line.starts_with("cpu ")) return std::nullopt;
  CpuTicks ticks;
  std::size_t column = 0;
  for (const std::string& field : split(line, ' ')) {
    const std::optional<double> value = parse_number<double>(field);
    if (!value) continue;
    // user nice system idle iowait irq softirq steal; guest time is in user already.
    constexpr std::size_t idle = 3;
    constexpr std::size_t waiting = 4;
    constexpr std::size_t stolen = 7;
    if (column == idle || column == waiting) ticks.idle += *value;
    if (column == stolen) ticks.stolen = *value;
    if (column <= stolen) ticks.total += *value;
    ++column;
  }
  return ticks;
}

// The share of all ticks since the last reading that `part` gained, in percent.
HwProbe share_probe(HwChannel channel, const SystemRoots& roots, double (*part)(const CpuTicks&)) {
  if (!read_ticks(roots)) return absent(std::move(channel), "/proc/stat is not there");
  return {std::move(channel),
          [roots, part,
           last = std::optional<CpuTicks>()](Nanoseconds) mutable -> std::optional<double> {
            const std::optional<CpuTicks> now = read_ticks(roots);
            const std::optional<CpuTicks> before = std::exchange(last, now);
            if (!now || !before || now->total <= before->total) return std::nullopt;
            return 100 * (part(*now) - part(*before)) / (now->total - before->total);
          }};
}

std::vector<HwProbe> load_probes(const SystemRoots& roots) {
  std::vector<HwProbe> probes;
  probes.push_back(share_probe(
      {.name = "cpu/machine", .unit = "%", .description = "busy share of all CPUs of the machine"},
      roots, [](const CpuTicks& ticks) { return ticks.total - ticks.idle; }));
  probes.push_back(share_probe(
      {.name = "cpu/stolen", .unit = "%", .description = "what the hypervisor gave to others"},
      roots, [](const CpuTicks& ticks) { return ticks.stolen; }));

  HwChannel throttled{.name = "cpu/throttled",
                      .unit = "%",
                      .description = "share of time the cgroup's quota held this process back"};
  if (read_cgroup_limits(roots).cpus && read_cpu_throttling(roots)) {
    // Microseconds per nanosecond.
    probes.push_back(rate_probe(std::move(throttled), 1e5, [roots]() -> std::optional<double> {
      const std::optional<CpuThrottling> throttling = read_cpu_throttling(roots);
      if (!throttling) return std::nullopt;
      return static_cast<double>(throttling->microseconds);
    }));
  } else {
    probes.push_back(absent(std::move(throttled), "no CPU quota is set"));
  }
  return probes;
}

std::vector<Path> files_of_cpus(const SystemRoots& roots, const char* file) {
  std::vector<Path> files;
  for (const Path& cpu : numbered_entries(roots.sys / "devices/system/cpu", "cpu")) {
    if (read_integer(cpu / file)) files.push_back(cpu / file);
  }
  return files;
}

HwProbe clock_probe(const SystemRoots& roots) {
  HwChannel channel{.name = "cpu/clock", .unit = "MHz", .description = "mean clock of the CPUs"};
  const std::vector<Path> files = files_of_cpus(roots, "cpufreq/scaling_cur_freq");
  if (files.empty()) return absent(std::move(channel), "this machine has no cpufreq");
  return {std::move(channel), [files](Nanoseconds) -> std::optional<double> {
            double sum = 0;
            double count = 0;
            for (const Path& file : files) {
              const std::optional<std::int64_t> kilohertz = read_integer(file);
              if (!kilohertz) continue;
              sum += static_cast<double>(*kilohertz) / 1000;
              ++count;
            }
            if (count == 0) return std::nullopt;
            return sum / count;
          }};
}

std::vector<Path> temperature_files(const SystemRoots& roots) {
  std::vector<Path> files;
  for (const Path& zone : numbered_entries(roots.sys / "class/thermal", "thermal_zone")) {
    if (read_integer(zone / "temp")) files.push_back(zone / "temp");
  }
  for (const Path& chip : numbered_entries(roots.sys / "class/hwmon", "hwmon")) {
    const bool is_cpu = read_line(chip / "name") == "k10temp";
    if (is_cpu && read_integer(chip / "temp1_input")) files.push_back(chip / "temp1_input");
  }
  return files;
}

HwProbe temperature_probe(const SystemRoots& roots) {
  HwChannel channel{
      .name = "cpu/temperature", .unit = "C", .description = "the hottest thermal zone"};
  const std::vector<Path> files = temperature_files(roots);
  if (files.empty()) return absent(std::move(channel), "this machine has no thermal zones");
  return {std::move(channel), [files](Nanoseconds) {
            std::optional<double> hottest;
            for (const Path& file : files) {
              const std::optional<std::int64_t> millidegrees = read_integer(file);
              if (!millidegrees) continue;
              const double celsius = static_cast<double>(*millidegrees) / 1000;
              hottest = std::max(hottest.value_or(celsius), celsius);
            }
            return hottest;
          }};
}

// RAPL counts microjoules and begins anew when its range is full; Rate skips that reading.
HwProbe power_probe(const SystemRoots& roots) {
  HwChannel channel{.name = "cpu/power", .unit = "W", .description = "power of the CPU package"};
  const Path file = roots.sys / "class/powercap/intel-rapl:0/energy_uj";
  if (!read_integer(file)) {
    return absent(std::move(channel), "RAPL is not there, or only root may read it");
  }
  return rate_probe(std::move(channel), 1e3, [file]() -> std::optional<double> {
    const std::optional<std::int64_t> microjoules = read_integer(file);
    if (!microjoules) return std::nullopt;
    return static_cast<double>(*microjoules);
  });
}

std::vector<HwProbe> pressure_probes(const SystemRoots& roots) {
  std::vector<HwProbe> probes;
  for (const std::string kind : {"cpu", "memory", "io"}) {
    probes.push_back(value_probe(
        {.name = "pressure/" + kind,
         .unit = "%",
         .description = "share of the last ten seconds in which some process waited for it"},
        [file = roots.proc / "pressure" / kind] { return read_pressure(file); },
        "this kernel has no pressure information"));
  }
  return probes;
}

HwProbe load_probe(const SystemRoots& roots) {
  return value_probe(
      {.name = "load", .unit = "", .description = "runnable processes, mean of one minute"},
      [file = roots.proc / "loadavg"] {
        const std::string line = read_line(file).value_or("");
        return parse_number<double>(std::string_view(line).substr(0, line.find(' ')));
      },
      "/proc/loadavg is not there");
}

}  // namespace

std::vector<HwProbe> machine_probes(const HwSettings& settings) {
  std::vector<HwProbe> probes = load_probes(settings.roots);
  probes.push_back(clock_probe(settings.roots));
  probes.push_back(temperature_probe(settings.roots));
  probes.push_back(power_probe(settings.roots));
  for (HwProbe& probe : pressure_probes(settings.roots)) probes.push_back(std::move(probe));
  probes.push_back(load_probe(settings.roots));
  return probes;
}

}  // namespace hone
