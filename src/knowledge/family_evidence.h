#pragma once
// Whether what a family cites is there: a hash that no file has shows nothing.

#include <string>
#include <vector>

#include "base/file.h"
#include "record/model_knowledge.h"

namespace hone {

// Whether its evidence stands beside its file, "evidence/bert/a.receipt.json". A bare name is that
// of a file which somebody kept for themselves.
bool has_evidence_beside(const FamilyKnowledge& knowledge);

// Everything that is wrong with the evidence in `folder`, the one of the family's file: a file that
// is not there or has other bytes, and a trial that rests on what no finding cites.
std::vector<std::string> evidence_problems(const FamilyKnowledge& knowledge, const Path& folder);

}  // namespace hone
