#pragma once
// What a record shows, as drafts for the knowledge base: without the machine it was made on.

#include <vector>

#include "record/finding.h"
#include "record/replay.h"
#include "record/search.h"

namespace hone {

// The record as the result of a search that compared every arm to the end, judged at a level that
// holds for all of them together: nobody was chosen by what is judged. REQUIRES:
// check_space(space).
SearchResult judge_space(const RecordedSpace& space, double margin);

// A draft for each arm that was shown to be faster or slower and differs from the baseline in one
// change. `evidence` is the SHA-256 of the record. REQUIRES: check_space(space).
std::vector<Finding> draft_findings(const RecordedSpace& space, double margin,
                                    const std::string& evidence);

}  // namespace hone
