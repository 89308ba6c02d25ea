#pragma once
// The sums over two stretches of numbers, four of each side by side. The order in which numbers are
// added is part of the result and the same on every machine, however wide its registers are.

#include <array>
#include <cstddef>

#include "inspect/debug/sums.h"

namespace hone {

constexpr std::size_t lanes = 4;
using Lanes = std::array<double, lanes>;

constexpr Lanes lanes_of(double number) { return {number, number, number, number}; }

struct LaneSums {
  Lanes signal{};                                                 // of x^2
  Lanes noise{};                                                  // of (x - y)^2
  Lanes cross{};                                                  // of x * y
  Lanes error{};                                                  // the largest
  Lanes low = lanes_of(std::numeric_limits<double>::infinity());  // of x
  Lanes high = lanes_of(-std::numeric_limits<double>::infinity());
};

// One way to add. REQUIRES: as many of x as of y, a whole number of lanes. x is brought within the
// bounds.
struct LaneAdder {
  const char* name;
  void (*add_floats)(std::span<const float> x, std::span<const float> y, Bounds bounds,
                     LaneSums& sums);
  void (*add_doubles)(std::span<const double> x, std::span<const double> y, Bounds bounds,
                      LaneSums& sums);
};

// Those this CPU can run, the fastest last. All give the same bits.
std::span<const LaneAdder> lane_adders();

}  // namespace hone
