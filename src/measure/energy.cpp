#include "measure/energy.h"

#include <algorithm>
#include <cmath>

#include "measure/hw/probe.h"

namespace hone {

std::optional<PerfEnergy> energy_of(const HwMonitorRecord& hardware, std::uint64_t runs,
                                    std::optional<std::int64_t> batch) {
  constexpr std::uint64_t least_readings = 5;
  if (!hardware.adapter || !hardware.adapter->name || runs == 0) return std::nullopt;
  const std::string name = *hardware.adapter->name + "/" + std::string(energy_channel);
  const auto channel = std::ranges::find(hardware.channels, name, &HwChannel::name);
  if (channel == hardware.channels.end() || channel->sample_count < least_readings)
    return std::nullopt;
  const double watts = channel->mean.value_or(0);
  if (!(std::isfinite(watts) && watts > 0 && hardware.duration_ms > 0)) return std::nullopt;
  PerfEnergy energy;
  energy.source = channel->description;
  energy.mean_watts = watts;
  energy.seconds = hardware.duration_ms / 1000;
  energy.joules_per_inference = watts * energy.seconds / static_cast<double>(runs);
  if (batch.value_or(0) > 0)
    energy.joules_per_sample = energy.joules_per_inference / static_cast<double>(*batch);
  return energy;
}

}  // namespace hone
