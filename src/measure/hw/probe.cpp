#include "measure/hw/probe.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hone {

std::optional<double> Rate::next(Nanoseconds now, std::optional<double> counter) {
  if (!counter) return std::nullopt;
  const std::optional<Reading> before = std::exchange(last_, Reading{now, *counter});
  // A counter that fell began anew (a driver was reset); its next reading is good again.
  if (!before || now <= before->time || *counter < before->counter) return std::nullopt;
  return (*counter - before->counter) / static_cast<double>((now - before->time).count()) * scale_;
}

HwProbe rate_probe(HwChannel channel, double scale,
                   std::function<std::optional<double>()> counter) {
  return {std::move(channel), [rate = Rate(scale), counter = std::move(counter)](
                                  Nanoseconds now) mutable { return rate.next(now, counter()); }};
}

std::vector<HwProbe> open_probes(const HwSettings& settings) {
  std::vector<HwProbe> probes;
  for (const auto& open : {process_probes, machine_probes, nvml_probes, driver_probes}) {
    std::vector<HwProbe> more = open(settings);
    std::ranges::move(more, std::back_inserter(probes));
  }
  return probes;
}

}  // namespace hone
