#pragma once
// What an end of the `az` program means.

#include <string>
#include <string_view>

#include "record/publish.h"

namespace hone::az {

struct End {
  int exit_code = 0;  // 127: there is no such program
  bool timed_out = false;
  std::string output;  // both streams
  std::string tail;    // the last lines of the errors, or of the output where there are none
};

// The version is there already. Only words that say just that: who takes something else for it
// deletes files that were never sent.
bool is_conflict(const End& end);

// Nobody is logged in, or there is no az: whoever goes on fails again. A time limit is not that.
bool is_unavailable(const End& end);

PublishOutcome classify(const End& end, bool skip_existing);

}  // namespace hone::az
