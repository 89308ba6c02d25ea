#pragma once
// The command line of a search.

#include "app/options.h"
#include "flow/search/search.h"

namespace hone::app {

struct SearchArguments {
  SearchOrder order;
  bool is_dry = false;
  std::string record;
  std::int64_t record_sessions = 10;
  std::vector<std::string> replays;
  std::int64_t searches = 50;
  std::string findings;
};

void declare_search(Options& options, SearchArguments& arguments);

// What cannot be meant is refused before anything runs.
Status check(const SearchArguments& arguments);

}  // namespace hone::app
