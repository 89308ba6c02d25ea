#pragma once
// Sessions of one process that run at once, each on a thread of its own.

#include <chrono>
#include <vector>

#include "record/worker.h"
#include "runtime/prepared.h"

namespace hone {

struct StreamBlock {
  std::int64_t warmup = 0;      // of each stream, not kept
  std::int64_t iterations = 1;  // kept, of all streams together
  std::size_t first = 0;        // the sample that the first run takes
  std::chrono::nanoseconds limit = std::chrono::nanoseconds::max();
};

// Runs until there are as many as asked for, or the limit has passed, but each stream at least
// once. All begin together, so that the elapsed time is one in which all were busy; a stream that
// fails ends the others, and its error is the answer. REQUIRES: there is a stream.
Result<WorkerBlock> time_streams(const std::vector<PreparedRun>& streams, const StreamBlock& plan);

}  // namespace hone
