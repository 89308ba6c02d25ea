#pragma once
// When a session has warmed up, and whether it stays as it is then. No iteration is ever taken out
// because it is slow: warm-up is a beginning, never a selection.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "measure/clock.h"
#include "record/perf.h"

namespace hone {

// From this iteration on everything takes `factor` times as long as before.
struct LevelShift {
  std::size_t iteration = 0;
  double factor = 1;
};

struct SteadyState {
  Steadiness steadiness = Steadiness::unknown;
  std::size_t start = 0;  // the first iteration that belongs to steady state
  Nanoseconds first_inference{0};
  Nanoseconds time_to_steady{0};  // the iterations before `start` together
  std::vector<LevelShift> shifts;
  double drift = 1;  // how many times the last fifth of steady state takes what its first fifth did
  std::uint64_t spikes = 0;  // iterations of steady state far above its level
  double spike_rate = 0;     // their share
  std::string reason;        // one clause: "steady after 12 iterations"
};

inline constexpr std::size_t least_iterations_for_steady_state = 20;

// Levels are found by change points over ln t (medians of blocks where there are many iterations).
// The reference is the median of the second half; warm-up ends where the level first comes within
// 2 % of it. A level that is faster than the reference is no warm-up (a clock that falls later must
// not delete what was before), but a shift.
SteadyState find_steady_state(std::span<const Nanoseconds> iterations);

}  // namespace hone
