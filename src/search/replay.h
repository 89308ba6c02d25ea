#pragma once
// Searches on a recorded space: the searcher is the real one, the machine is a record. Sessions are
// drawn from those that were measured, so that the noise is the machine's own.

#include <cstddef>

#include "record/replay.h"
#include "search/search.h"

namespace hone {

// Refuses a space that cannot be replayed: no baseline, no clone of it, an arm that runs and has no
// session, a difference that is no number.
Status check_space(const RecordedSpace& space);

using SearchJudge = decltype(SearchTools::judge);

// Tools that answer from the space, which must outlive them. A recipe that is not recorded does not
// build. REQUIRES: check_space(space).
SearchTools replay_tools(const RecordedSpace& space, SearchJudge judge);

// A plan over the recorded arms; mixes come about as in every search.
SearchPlan replay_plan(const RecordedSpace& space, std::uint64_t seed);

// The ratio to the baseline's time that the whole record shows: the truth of a replay.
double recorded_ratio(const RecordedArm& arm);

struct ReplayScore {
  double regret = 1;             // the champion's ratio over that of the best that may ship
  double evaluations_share = 0;  // blocks, of those that measuring all arms to the end takes
  bool is_false_keep = false;    // what ships is not faster
};
ReplayScore replay_score(const RecordedSpace& space, const SearchPlan& plan,
                         const SearchResult& result);

// `arms` arms that differ in name only: each is the baseline's clone, moved so that the record's
// own luck is not taken for an effect. REQUIRES: check_space(space).
RecordedSpace null_space(const RecordedSpace& space, std::size_t arms);

}  // namespace hone
