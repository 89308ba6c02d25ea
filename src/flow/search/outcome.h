#pragma once
// What a search leaves in its folder: champion/, report.html, results.tsv, search.json and
// findings.json with drafts for the knowledge base.

#include "flow/search/environment.h"
#include "flow/search/insight.h"
#include "flow/search/tools.h"
#include "record/search.h"

namespace hone {

struct SearchOutcome {
  const SearchSite& site;
  const SearchEnvironment& environment;
  const FoundInsight& found;
  const Recipe& baseline;
  std::string command_line;  // what repeats the search
  bool traces = true;        // the champion beside the baseline
};

// Fills what the search itself does not know (features, facts, commands) and writes all files. The
// champion of an earlier search is replaced once the new one is there, and goes where there is
// none.
Status write_outcome(const SearchOutcome& outcome, SearchResult& result);

}  // namespace hone
