#pragma once
// What a search found out, as drafts for the knowledge base.

#include <vector>

#include "record/finding.h"
#include "record/search.h"

namespace hone {

// A draft for each arm that was shown to be faster or slower and differs from the baseline in one
// change that says all of it. `trial` is where the search was held.
std::vector<Finding> draft_findings(const Recipe& baseline, const SearchResult& result,
                                    const FindingTrial& trial);

}  // namespace hone
