#pragma once
// What a run takes of energy, by the device's own counter.

#include <optional>

#include "record/hw_monitor.h"
#include "record/perf_points.h"

namespace hone {

// Of the accelerator that was busiest, over the watched stretch, in which there were so many runs.
// Nothing where it has no counter, or the stretch is too short for one that moves some ten times a
// second.
std::optional<PerfEnergy> energy_of(const HwMonitorRecord& hardware, std::uint64_t runs,
                                    std::optional<std::int64_t> batch);

}  // namespace hone
