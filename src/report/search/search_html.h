#pragma once
// A search as one HTML file that needs no other: report.html.

#include <span>
#include <string>

#include "base/embedded_file.h"
#include "record/search.h"
#include "report/search/trace_html.h"

namespace hone {

// The style and the script of the page, web/report.
std::span<const EmbeddedFile> embedded_report();

// Asks for nothing outside of itself: its policy allows its own style and script by their hashes,
// and nothing else. The whole result is in it, as JSON. It reads as well without the script.
std::string search_page(const SearchResult& result, const SearchTraces& traces = {});

}  // namespace hone
