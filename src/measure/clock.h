#pragma once
// Time as measuring sees it: nanoseconds since some fixed moment, from a function, so that tests
// bring their own.

#include <chrono>
#include <functional>

namespace hone {

using Nanoseconds = std::chrono::nanoseconds;
using Clock = std::function<Nanoseconds()>;

inline Nanoseconds steady_now() {
  return std::chrono::duration_cast<Nanoseconds>(
      std::chrono::steady_clock::now().time_since_epoch());
}

inline double to_milliseconds(Nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

}  // namespace hone
