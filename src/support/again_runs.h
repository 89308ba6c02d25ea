#pragma once
// L1 beside what came of it again: the one tier whose figures another day changes.

#include "support/again.h"
#include "support/lines.h"

namespace hone {

// The same bytes and figures are asked of the same tools; others may round differently.
LineVerdict unless_same(const ReviewSite& site);

// Target by target, and the race.
void compare_runs(const TierProof& claimed, const TierProof& again, const ReviewSite& site,
                  const std::string& at, Lines& lines);

}  // namespace hone
