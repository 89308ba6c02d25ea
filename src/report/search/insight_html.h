#pragma once
// Why the search tried what it tried: features of the model, each hypothesis with its prediction
// and what became of it, and each idea that was skipped.

#include "record/search.h"
#include "report/html/html.h"

namespace hone {

Html insight_section(const SearchResult& result);

// "Gelu +12, Erf -12": how the operators of a build differ from the baseline's, the largest change
// first; empty where both are the same or one is not known.
std::string operator_changes(const std::optional<BuiltModel>& baseline,
                             const std::optional<BuiltModel>& arm);

}  // namespace hone
