#include <ctime>
#include <utility>

#include "base/system_files.h"
#include "measure/hw/probe.h"
#include "measure/memory.h"

namespace hone {
namespace {

// "self" is no number, and 0 is this process.
std::optional<Nanoseconds> cpu_time_of(const std::string& process) {
  clockid_t clock{};
  timespec time{};
  const bool is_known =
      ::clock_getcpuclockid(parse_number<int>(process).value_or(0), &clock) == 0 &&
      ::clock_gettime(clock, &time) == 0;
  if (!is_known) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

std::optional<double> in_nanoseconds(std::optional<Nanoseconds> time) {
  if (!time) return std::nullopt;
  return static_cast<double>(time->count());
}

}  // namespace

std::vector<HwProbe> process_probes(const HwSettings& settings) {
  const auto cpu_time = settings.cpu_time ? settings.cpu_time : [process = settings.process] {
    return cpu_time_of(process);
  };
  std::vector<HwProbe> probes;
  probes.push_back(rate_probe({.name = "cpu/process",
                               .unit = "%",
                               .description = "processor time of the process; 100 is one CPU"},
                              100, [cpu_time] { return in_nanoseconds(cpu_time()); }));

  HwChannel memory{
      .name = "memory/resident", .unit = "bytes", .description = "resident memory of the process"};
  const auto resident = [roots = settings.roots, process = settings.process] {
    return read_resident_bytes(roots, process);
  };
  if (!resident()) {
    probes.push_back(
        absent(std::move(memory), "/proc/" + settings.process + "/statm is not there"));
    return probes;
  }
  probes.push_back({std::move(memory), [resident](Nanoseconds) -> std::optional<double> {
                      const std::optional<std::uint64_t> bytes = resident();
                      if (!bytes) return std::nullopt;
                      return static_cast<double>(*bytes);
                    }});
  return probes;
}

}  // namespace hone
