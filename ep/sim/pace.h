#pragma once
// How much longer a group takes on the simulated device than on this CPU: the session's factor,
// drawn once, and a latency per run.

#include <chrono>
#include <cstdint>
#include <optional>

#include "ep/sim/profile.h"

namespace hone::ep::sim {

class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  // Without a seed the factor differs from session to session; with one it is always the same.
  Pace(const Profile& profile, std::optional<std::uint64_t> seed);

  // effect * (1 + session_jitter * u), u uniform in [0, 1): its mean ratio between two arms is the
  // ratio of their effects, and it never asks for less time than the work took.
  double factor() const { return factor_; }

  // Returns when work that began at `start` and is done now would be done on the device. Waits
  // busily: a sleep would be late by the timer's slack, and let the CPU clock down.
  void wait(Clock::time_point start) const;

 private:
  double factor_;
  std::chrono::duration<double, std::micro> latency_;
};

}  // namespace hone::ep::sim
