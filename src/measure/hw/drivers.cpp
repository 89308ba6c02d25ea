// GPUs and NPUs whose drivers show counters as files: amdgpu, i915, xe and intel_vpu.

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "measure/hw/probe.h"

namespace hone {
namespace {

constexpr auto amd = "0x1002";
constexpr auto intel = "0x8086";

struct DriverFile {
  const char* name;
  const char* unit;
  const char* what;
  const char* path;  // below the device
  double scale;      // from the file's unit to ours
};

// The value of a file, scaled.
HwProbe file_probe(HwChannel channel, const Path& file, double scale) {
  return {std::move(channel), [file, scale](Nanoseconds) -> std::optional<double> {
            const std::optional<std::int64_t> value = read_integer(file);
            if (!value) return std::nullopt;
            return static_cast<double>(*value) * scale;
          }};
}

// Busy is what is not idle: the driver counts milliseconds of idleness.
HwProbe idle_counter_probe(HwChannel channel, const Path& file) {
  constexpr double share_per_millisecond = 1e8;  // ms per ns, in percent
  return {
      std::move(channel),
      [file, rate = Rate(share_per_millisecond)](Nanoseconds now) mutable -> std::optional<double> {
        const std::optional<std::int64_t> milliseconds = read_integer(file);
        if (!milliseconds) return std::nullopt;
        const std::optional<double> idle = rate.next(now, static_cast<double>(*milliseconds));
        if (!idle) return std::nullopt;
        return std::min(100.0, std::max(0.0, 100 - *idle));
      }};
}

HwChannel channel_of(const std::string& device, const char* name, const char* unit,
                     const std::string& what) {
  return {.name = device + "/" + name, .unit = unit, .description = what};
}

void add_files(const std::string& device, const Path& folder, std::span<const DriverFile> files,
               std::vector<HwProbe>& probes) {
  for (const DriverFile& file : files) {
    if (!read_integer(folder / file.path)) continue;
    probes.push_back(file_probe(channel_of(device, file.name, file.unit, file.what),
                                folder / file.path, file.scale));
  }
}

void add_amd(const std::string& device, const Path& folder, std::vector<HwProbe>& probes) {
  constexpr auto files = std::to_array<DriverFile>({
      {"utilization", "%", "busy share of the AMD GPU", "gpu_busy_percent", 1},
      {"memory", "bytes", "memory of the AMD GPU in use, by anybody", "mem_info_vram_used", 1},
  });
  add_files(device, folder, files, probes);
  constexpr auto sensors = std::to_array<DriverFile>({
      {"temperature", "C", "temperature of the AMD GPU", "temp1_input", 1e-3},
      {"power", "W", "power of the AMD GPU", "power1_average", 1e-6},
      {"clock", "MHz", "clock of the AMD GPU", "freq1_input", 1e-6},
  });
  for (const Path& chip : numbered_entries(folder / "hwmon", "hwmon")) {
    add_files(device, chip, sensors, probes);
  }
}

void add_intel(const std::string& device, const Path& card, std::vector<HwProbe>& probes) {
  // i915, then xe.
  for (const char* file :
       {"gt/gt0/rc6_residency_ms", "device/tile0/gt0/gtidle/idle_residency_ms"}) {
    if (!read_integer(card / file)) continue;
    probes.push_back(idle_counter_probe(
        channel_of(device, "utilization", "%", "time the Intel GPU was not asleep"), card / file));
    break;
  }
  for (const char* file : {"gt/gt0/rps_act_freq_mhz", "device/tile0/gt0/freq0/act_freq"}) {
    if (!read_integer(card / file)) continue;
    probes.push_back(
        file_probe(channel_of(device, "clock", "MHz", "clock of the Intel GPU"), card / file, 1));
    break;
  }
}

std::vector<HwProbe> gpu_probes(const SystemRoots& roots) {
  std::vector<HwProbe> probes;
  for (const Path& card : numbered_entries(roots.sys / "class/drm", "card")) {
    const std::optional<std::string> vendor = read_line(card / "device/vendor");
    const std::string number = card.filename().string().substr(std::string_view("card").size());
    if (vendor == amd) add_amd("amd" + number, card / "device", probes);
    if (vendor == intel) add_intel("intel" + number, card, probes);
  }
  if (probes.empty()) {
    probes.push_back(absent({.name = "gpu", .unit = "", .description = "AMD and Intel GPUs"},
                            "no driver shows counters in /sys/class/drm"));
  }
  return probes;
}

std::vector<HwProbe> npu_probes(const SystemRoots& roots) {
  constexpr auto files = std::to_array<DriverFile>({
      {"memory", "bytes", "memory of the Intel NPU in use", "npu_memory_utilization", 1},
      {"clock", "MHz", "clock of the Intel NPU", "npu_current_frequency_mhz", 1},
  });
  std::vector<HwProbe> probes;
  for (const Path& accelerator : numbered_entries(roots.sys / "class/accel", "accel")) {
    const Path busy = accelerator / "device/npu_busy_time_us";
    if (!read_integer(busy)) continue;
    const std::string device =
        "npu" + accelerator.filename().string().substr(std::string_view("accel").size());
    // Microseconds per nanosecond, in percent.
    probes.push_back(
        rate_probe(channel_of(device, "utilization", "%", "busy share of the Intel NPU"), 1e5,
                   [busy]() -> std::optional<double> {
                     const std::optional<std::int64_t> value = read_integer(busy);
                     if (!value) return std::nullopt;
                     return static_cast<double>(*value);
                   }));
    add_files(device, accelerator / "device", files, probes);
  }
  if (probes.empty()) {
    probes.push_back(absent({.name = "npu", .unit = "", .description = "NPUs"},
                            "no driver shows counters in /sys/class/accel"));
  }
  return probes;
}

}  // namespace

std::vector<HwProbe> driver_probes(const HwSettings& settings) {
  std::vector<HwProbe> probes = gpu_probes(settings.roots);
  for (HwProbe& probe : npu_probes(settings.roots)) probes.push_back(std::move(probe));
  return probes;
}

}  // namespace hone
