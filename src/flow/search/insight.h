#pragma once
// What is known of a model on a target before a search begins: its graph, what the EP takes of it,
// where its time goes.

#include "flow/search/environment.h"
#include "flow/search/tools.h"
#include "knowledge/situation.h"
#include "record/analyze.h"
#include "record/finding.h"
#include "record/trace.h"
#include "search/hypotheses.h"

namespace hone {

struct FoundInsight {
  Insight insight;
  Analysis analysis;
  std::optional<OpTrace> trace;    // of the model as it came; null: it could not be traced
  std::vector<std::string> notes;  // what could not be found out
};

// Looks at the model as it came, in processes of its own.
Result<FoundInsight> find_insight(const SearchSite& site, const Recipe& baseline, bool traces);

// Where the time of a model goes, with the recipe's options.
Result<OpTrace> trace_model(const SearchSite& site, const Path& model, const Recipe& recipe);

// Which EP got which nodes of it.
Result<Placement> place_model(const SearchSite& site, const Path& model, const Recipe& recipe);

// The same as the knowledge base sees it.
Situation situation_of(const FoundInsight& found, const SearchEnvironment& environment);

// Orders hypotheses by the findings, and prunes those that make exactly the change of one.
// REQUIRES: findings and situation outlive it.
HypothesisAdvisor make_advisor(const std::vector<Finding>& findings, const Situation& situation,
                               const Recipe& baseline);

}  // namespace hone
