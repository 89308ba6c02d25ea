#pragma once
// The measuring loop: asks for blocks of runs, warm-up first, until there are enough of them. Who
// runs them (a worker) times each run by itself; the loop only counts. Whoever wants to watch reads
// a LoopMeter from another thread.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "measure/clock.h"

namespace hone {

struct LoopPlan {
  std::uint64_t warmup = 10;       // iterations that are timed but counted apart
  Nanoseconds most_warmup{0};      // > 0: none is begun after this long
  std::uint64_t iterations = 100;  // where there is no duration
  Nanoseconds duration{0};         // > 0: until this time has passed since the warm-up's end, at
                                   // least once
};

// Runs up to `iterations` times and at least once; stops early when `time` has passed. Answers with
// the time of each run.
using RunBlock =
    std::function<Result<std::vector<Nanoseconds>>(std::uint64_t iterations, Nanoseconds time)>;

// How far the loop is, for other threads. Only the loop writes.
struct LoopMeter {
  std::atomic<std::uint64_t> warmup{0};
  std::atomic<bool> is_warm{false};
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::int64_t> last_ns{0};
  std::atomic<std::int64_t> measured_ns{0};  // the iterations after the warm-up together
};

struct LoopHooks {
  const std::atomic<bool>* stop = nullptr;  // once true, the loop ends after the current block
  LoopMeter* meter = nullptr;
  // By the loop's clock; 0: none. Nothing is begun that would not end before it, but for one run;
  // warm-up gets a fifth of the time there is.
  Nanoseconds deadline{0};
};

enum class LoopEnd { finished, stopped, out_of_room, out_of_time };

struct LoopSamples {
  std::vector<Nanoseconds> warmup;
  std::vector<Nanoseconds> measured;
  Nanoseconds elapsed{0};  // after the warm-up, with what lies between the iterations
  LoopEnd end = LoopEnd::finished;
};

// How long a block may be: short enough for a live view and a prompt stop, long enough that the way
// to the worker and back is nothing beside it.
inline constexpr Nanoseconds block_time = std::chrono::milliseconds(200);

// A run by duration does not know its number of iterations: beyond this many it ends, out_of_room.
inline constexpr std::uint64_t most_timed_samples = std::uint64_t{1} << 24;

// The first failing block ends the loop with its error, which is handed on as it is; but where the
// loop is stopped or its time is over, what was measured before it stands.
Result<LoopSamples> run_loop(const LoopPlan& plan, const RunBlock& run, const LoopHooks& hooks = {},
                             const Clock& clock = steady_now);

}  // namespace hone
