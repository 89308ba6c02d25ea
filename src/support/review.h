#pragma once
// The reviewer's rules for what a bundle says by itself. What cannot be checked is sent back; what
// is not what it says is rejected. again.h has the rules for what was measured again.

#include <span>
#include <vector>

#include "support/bundle.h"

namespace hone {

// What can be seen without running anything.
std::vector<ReviewLine> check_bundle(const Bundle& bundle);

// What of a bundle may not be used before somebody has read it: options of EPs name libraries to
// load, options of sessions files to write, and paths lead anywhere. Empty: nothing.
std::vector<std::string> risks_of(const Bundle& bundle);

ReviewVerdict verdict_of(std::span<const ReviewLine> lines);

}  // namespace hone
