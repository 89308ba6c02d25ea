#pragma once
// What a measurement shows beyond one session, for people.

#include <string>
#include <vector>

#include "record/perf.h"

namespace hone {

// "3 x 500 iterations: 1.21 ms [1.18 ms, 1.24 ms], medians apart by 2.1 %"
std::string describe_sessions(const PerfSessions& sessions);

// A row for each batch and number of streams, with a bar for its throughput; then which is best.
std::string describe_points(const std::vector<PerfPoint>& points);

// "cross in 0.12 ms: 1.20 ms with them, 1.08 ms on the device"
std::string describe_transfers(const PerfTransfers& transfers);
std::string describe_energy(const PerfEnergy& energy);

}  // namespace hone
