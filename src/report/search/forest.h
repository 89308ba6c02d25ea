#pragma once
// The compared arms as a forest plot: a table whose middle column draws each interval on one
// logarithmic axis. A table, so that it can be read aloud, copied and printed.

#include "record/search.h"
#include "report/html/html.h"

namespace hone {

// The fastest arm first, the baseline below them. Only arms that were compared on fresh sessions
// are drawn. Empty without one.
Html forest_plot(const SearchResult& result);

}  // namespace hone
