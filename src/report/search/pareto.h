#pragma once
// Latency against accuracy, for the arms that have both.

#include "record/search.h"
#include "report/html/html.h"

namespace hone {

// Empty unless two arms, the baseline counted, have a median and the same metric.
Html pareto_plot(const SearchResult& result);

}  // namespace hone
