#pragma once
// Which arms of a search no other beats in both speed and accuracy: for the search that names them
// and for the page that draws them.

#include <vector>

#include "record/search.h"

namespace hone {

struct FrontPoint {
  const SearchArm* arm = nullptr;
  double accuracy = 0;
  double low = 1;  // of the ratio of its time to the baseline's
  double high = 1;
  bool passes = true;    // its accuracy is shown to hold
  bool is_best = false;  // it passes, and no other that does is as accurate and shown to be faster
};

// The baseline and all arms that were compared with it to a look, as far as their accuracy is known
// by one metric; the fastest first. REQUIRES: the first of `arms`, if any, is the baseline.
std::vector<FrontPoint> front_points(const std::vector<const SearchArm*>& arms);

}  // namespace hone
