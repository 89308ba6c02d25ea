#pragma once
// The measuring loop: time around the run alone, into memory that is there before the first
// iteration. Whoever wants to watch reads a LoopMeter from another thread.

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "measure/clock.h"

namespace hone {

struct LoopPlan {
  std::uint64_t warmup = 10;       // iterations that are timed but counted apart
  std::uint64_t iterations = 100;  // where there is no duration
  Nanoseconds duration{0};         // > 0: until this time has passed since the warm-up's end, at
                                   // least once
};

// How far the loop is, for other threads. Only the loop writes.
struct LoopMeter {
  std::atomic<std::uint64_t> warmup{0};
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::int64_t> last_ns{0};
  std::atomic<std::int64_t> measured_ns{0};  // the iterations after the warm-up together
};

struct LoopHooks {
  // Called before iteration i (counted through the warm-up), outside of the timed region: sets the
  // inputs of the next sample.
  std::function<Status(std::uint64_t i)> prepare{};
  const std::atomic<bool>* stop = nullptr;  // once true, the loop ends after the current iteration
  LoopMeter* meter = nullptr;
};

enum class LoopEnd { finished, stopped, out_of_room };

struct LoopSamples {
  std::vector<Nanoseconds> warmup;
  std::vector<Nanoseconds> measured;
  Nanoseconds elapsed{0};  // after the warm-up, with what lies between the iterations
  LoopEnd end = LoopEnd::finished;
};

// A run by duration does not know its number of iterations: beyond this many it ends, out_of_room.
inline constexpr std::uint64_t most_timed_samples = std::uint64_t{1} << 24;

// The first failing run or prepare ends the loop with its error, which is handed on as it is.
Result<LoopSamples> run_loop(const LoopPlan& plan, const std::function<Status()>& run,
                             const LoopHooks& hooks = {}, const Clock& clock = steady_now);

}  // namespace hone
