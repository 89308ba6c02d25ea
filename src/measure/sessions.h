#pragma once
// What several fresh sessions of one thing show of its latency.

#include <vector>

#include "record/perf_points.h"

namespace hone {

// Iterations of one session share its memory and threads: an interval over them would be too
// narrow. Sessions are the sample: the mean of the logarithms of their medians, and Student's t
// over them. A session whose median is no time is left out.
PerfSessions summarize_sessions(std::vector<PerfSession> sessions);

}  // namespace hone
