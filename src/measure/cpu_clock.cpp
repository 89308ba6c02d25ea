#include "measure/cpu_clock.h"

#include <string>

namespace hone {

std::optional<double> read_cpu_mhz(const SystemRoots& roots) {
  double sum = 0;
  int count = 0;
  for (int cpu = 0;; ++cpu) {
    const Path folder = roots.sys / "devices/system/cpu" / ("cpu" + std::to_string(cpu));
    const auto line = read_line(folder / "cpufreq/scaling_cur_freq");
    if (!line) break;
    const auto kilohertz = parse_number<double>(*line);
    if (!kilohertz || *kilohertz <= 0) return std::nullopt;
    sum += *kilohertz / 1000;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace hone
