#pragma once
// Blocks of runs whose time a test decides.

#include <functional>
#include <vector>

#include "measure/loop.h"

namespace hone {

// A worker in small: times each `run` by `clock`.
inline RunBlock blocks_of(Clock clock, std::function<Status()> run) {
  return [clock = std::move(clock), run = std::move(run)](
             std::uint64_t iterations, Nanoseconds time) -> Result<std::vector<Nanoseconds>> {
    std::vector<Nanoseconds> times;
    const Nanoseconds end = clock() + time;
    do {
      const Nanoseconds start = clock();
      HONE_TRY_DO(run());
      times.push_back(clock() - start);
    } while (times.size() < iterations && clock() < end);
    return times;
  };
}

}  // namespace hone
