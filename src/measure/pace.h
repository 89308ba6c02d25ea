#pragma once
// How long the sessions of a race are: full where there is time for them, shorter for slow models
// and where the race has to end in time. Sessions are the sample, so a session becomes shorter
// before there are fewer of them. Pure functions.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "measure/clock.h"

namespace hone {

// What an arm costs in a session.
struct ArmCost {
  Nanoseconds opening{0};  // starting, opening and settling its worker
  Nanoseconds run{0};
};

struct SessionShape {
  std::size_t rounds = 8;
  // A block is as many runs as fit into this time, but at least `least_runs`.
  Nanoseconds block_time = std::chrono::milliseconds(100);
  std::int64_t least_runs = 5;

  bool operator==(const SessionShape&) const = default;
};

struct BlockShape {
  std::int64_t runs = 5;
  std::int64_t dropped = 1;  // before them
};

// Runs that take long need neither five in a block (which then takes a second at the most, or one
// run) nor one that is dropped.
BlockShape block_of(const SessionShape& shape, Nanoseconds run);

Nanoseconds round_time(const SessionShape& shape, std::span<const ArmCost> arms);
// Opening included.
Nanoseconds session_time(const SessionShape& shape, std::span<const ArmCost> arms);
// The shortest session there is.
SessionShape least_shape(const SessionShape& full);

// No session of a slow model runs for longer than about a minute, as long as it has two rounds.
SessionShape shape_without_limit(const SessionShape& full, std::span<const ArmCost> arms);

// The longest shape with which this session, whose arms are open, and others up to `sessions` of
// them end within `left`; where none does, the longest for as many sessions as there can be.
SessionShape shape_within(const SessionShape& full, std::span<const ArmCost> arms, Nanoseconds left,
                          std::size_t sessions);

}  // namespace hone
