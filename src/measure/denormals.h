#pragma once
// Whether a model runs faster where denormal numbers are taken for zero, and where its inputs and
// outputs stay on the device: pure functions of runs that took turns.

#include <cstddef>
#include <optional>
#include <span>

#include "record/perf.h"

namespace hone {

// Blocks of each of the two, in turns: where all of one kind are faster than all of the other,
// chance is the reason in one of 252 cases.
inline constexpr std::size_t denormal_turns = 5;

// The medians of blocks, in milliseconds, in the order in which they ran.
void judge_turns(std::span<const double> as_is, std::span<const double> as_zero,
                 PerfDenormals& found);
// The same for runs in which nothing moves, and those in which inputs and outputs cross.
std::optional<PerfTransfers> judge_transfers(std::span<const double> device,
                                             std::span<const double> crossing);

}  // namespace hone
