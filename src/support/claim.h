#pragma once
// The claim that stands over a contribution: effort, goal and outcome, said before the work.

#include <string_view>
#include <vector>

#include "record/review.h"
#include "record/support.h"

namespace hone {

// What an effort delivers.
OutcomeLevel outcome_of(Effort effort);

// The least effort that may touch this file of the repository.
Effort effort_for(std::string_view path);

// What is held against it: how effort and outcome go together, what the effort may touch, and what
// it owes (L0 a template, everything else a finding).
std::vector<ReviewLine> check_claim(const SupportClaim& claim, const RecipeFile& file,
                                    std::size_t findings);

}  // namespace hone
