#pragma once
// A bundle that somebody else made, checked by its files and by climbing again; and what it tells.

#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/bundle.h"
#include "record/review.h"
#include "record/where.h"

namespace hone {

struct ReviewOrder {
  std::vector<std::string> bundles;  // folders
  bool is_full = false;              // every job again, races included
  bool trusts = false;               // somebody has read the options of the recipe
  std::vector<std::string> models;   // folders with models that are not in bundles
  std::int64_t race_s = 60;
  Host host;
};
// One review for each bundle; what stops one is told with the others. A folder that is not there is
// refused before any work.
Result<Reviews> review(const ReviewOrder& order, const Watch& watch);

// A bundle to report of, and files in it that are not what its manifest promises.
struct ToldBundle {
  Bundle bundle;
  std::vector<std::string> doubts;
};
Result<ToldBundle> read_whole_bundle(const Path& folder);

}  // namespace hone
