#pragma once
// When a finding applies.

#include <string>

#include "knowledge/situation.h"
#include "record/knowledge.h"

namespace hone {

// In three values: a part that is not known leaves the whole unknown, unless the other parts
// decide.
Truth evaluate(const Predicate& predicate, const Situation& situation);

// The first thing that is wrong with it, as a clause behind its place: "when.all[1]: ...". Empty
// when nothing is.
std::string problem_of(const Predicate& predicate);

// Does it hold on the EPs it names alone, so that a fact of one EP is never taken for another's?
bool names_an_ep(const Predicate& predicate);

}  // namespace hone
