#pragma once
// What a search leaves in its folder: champion/, report.html, results.tsv, search.json and
// findings.json with drafts for the knowledge base.

#include "app/insight.h"
#include "app/search_tools.h"
#include "base/machine.h"
#include "record/search.h"

namespace hone::app {

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

// A draft for each arm that was shown to be faster or slower and differs from the baseline in one
// change that says all of it. `trial` is where the search was held.
std::vector<Finding> draft_findings(const Recipe& baseline, const SearchResult& result,
                                    const FindingTrial& trial);

// Which machine it is, whatever kernel and programs run on it. Two of one make are the same one.
std::string hardware_key(const MachineFacts& machine);

}  // namespace hone::app
