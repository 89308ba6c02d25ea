#pragma once
// When a finding applies, as a sentence.

#include <string>

#include "record/finding.h"

namespace hone {

// "ep is qnn and (Conv at least 1 or opset >= 21)"; "always" for one that says nothing.
std::string describe(const Predicate& predicate);

}  // namespace hone
