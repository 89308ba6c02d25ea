#pragma once
// What a finding must rest on before it may rule anything out.

#include <string>
#include <vector>

#include "knowledge/situation.h"
#include "record/finding.h"

namespace hone {

// Different machines or different models, and both with a file that shows it. A file that was
// renamed is no other model, and a kernel that was updated is no other machine.
bool are_independent(const FindingTrial& a, const FindingTrial& b);
bool has_independent_pair(const std::vector<FindingTrial>& trials);

// What keeps the finding from being confirmed, a clause each; empty when nothing does.
std::vector<std::string> missing_for_confirmation(const Finding& finding);

// As for a situation: the CPU EP has ONNX Runtime's version, and one device.
Situation target_of(const FindingTrial& trial);
// Trials on the situation's EP and device in its major version; none when that is not known.
std::vector<FindingTrial> trials_like(const std::vector<FindingTrial>& trials,
                                      const Situation& situation);
// Where it was seen not to hold on that EP in its major version; null: nowhere. One of unknown
// version or device counts: it may be from here.
const FindingTrial* counterexample(const Finding& finding, const Situation& situation);
// Is one of the trials from the same major.minor of ONNX Runtime and of the EP?
bool is_covered(const Finding& finding, const Situation& situation);

}  // namespace hone
