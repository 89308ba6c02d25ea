#pragma once
// Arms on several targets in one search. Each target has a home: its own baseline, an arm like any
// other but that what is tried there is combined on top of it. All are compared with one baseline,
// that of the first target. For the .cpp files of this module.

#include <string>
#include <vector>

#include "search/run.h"

namespace hone {

// "cuda/gpu": where an arm runs, whatever its options.
std::string place_of(const Hypothesis& hypothesis);

// The baselines of all targets, that of the search first.
std::vector<Contender*> homes_of(const SearchRun& run);
// Of a home, in ln t against the baseline of the search; null: it has not raced.
std::optional<double> score_of_home(const SearchRun& run, const Contender& home);

// Lets an arm go whose home is so far behind the best that nothing makes up for it; true when it
// did.
bool let_go_with_its_target(const SearchRun& run, Contender& contender);

// The best of each target that has none among the finalists, gated: they are compared along with
// them, so that each target has its interval.
Result<std::vector<Contender*>> best_of_others(SearchRun& run,
                                               const std::vector<Contender*>& finalists);

// What was found on each target; none where there is one.
std::vector<TargetBest> bests_of(const SearchRun& run, const SearchResult& result);

}  // namespace hone
