#pragma once
// A search as one HTML file that needs no other: report.html.

#include <string>

#include "record/search.h"
#include "report/search/trace_html.h"

namespace hone {

// The whole result is in it, as JSON. It reads as well without the script.
std::string search_page(const SearchResult& result, const SearchTraces& traces = {});

}  // namespace hone
