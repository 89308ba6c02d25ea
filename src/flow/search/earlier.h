#pragma once
// What earlier runs of a search found out. A run that tries less, or has less time, adds to it and
// takes nothing away.

#include <optional>

#include "base/file.h"
#include "record/search.h"
#include "search/search.h"

namespace hone {

// The result in the folder of a search. Nothing where there is none, or it cannot be read.
std::optional<SearchResult> read_earlier(const Path& folder);

// Why what it says does not hold for the plan: another model, baseline, machine or conditions.
// Empty: it holds.
std::string what_differs(const SearchPlan& plan, const SearchResult& earlier);

// Finals that were held of arms the plan does not have.
std::size_t finals_held_before(const SearchPlan& plan, const SearchResult& earlier);

// Arms that the result does not have or has not reached come as they were found; what was compared
// stays compared. The champion is the best of both. REQUIRES: nothing differs from its plan.
void add_earlier(SearchResult earlier, SearchResult& result);

}  // namespace hone
