#pragma once
// What the findings have to say about a change in a situation. Advice puts arms in order, and where
// a finding is sound enough leaves one out; nothing ships because of it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knowledge/situation.h"
#include "record/knowledge.h"

namespace hone {

struct Advice {
  double priority_delta = 0;  // the larger, the earlier; each finding moves it by at most 1
  std::optional<std::string> prunes{};  // the id of the finding that rules the change out
  std::vector<std::string> why{};       // a line for each finding that has something to say
};

// Keys of the change may be in kebab-case or snake_case.
Advice advise(std::span<const Finding> findings, const Situation& situation, const Change& change);

// The same, finding by finding, with those that match and do nothing. Facts about the way of
// working and about other changes are not among them.
std::vector<FindingRuling> rule_on(std::span<const Finding> findings, const Situation& situation,
                                   const Change& change);

// Every change that an EP finding is about, each once.
std::vector<Change> known_changes(std::span<const Finding> findings);

}  // namespace hone
