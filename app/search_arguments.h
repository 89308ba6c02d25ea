#pragma once
// The command line of a search.

#include "app/options.h"
#include "app/where.h"

namespace hone::app {

struct SearchArguments {
  std::string model;
  std::string output;
  std::string objective = "latency";
  double max_drop = 0.01;
  std::string latency_budget;
  std::int64_t time_budget_s = 0;
  std::vector<std::string> only;
  std::vector<std::string> recipes;
  std::string task;
  std::string data;
  std::string input_data;
  std::string calibration_data;
  std::string overrides;
  std::string shape_config;
  std::string knowledge;
  double margin = 1;
  std::int64_t timeout = 600;
  std::uint64_t seed = 0;
  bool resumes = false;
  bool overwrite = false;
  bool is_dry = false;
  bool skips_trace = false;
  std::string record;
  std::int64_t record_sessions = 10;
  std::vector<std::string> replays;
  std::int64_t searches = 50;
  std::string findings;
  Where where;
};

void declare_search(Options& options, SearchArguments& arguments);

// What cannot be meant is refused before anything runs.
Status check(const SearchArguments& arguments);

// Milliseconds; nothing where none are given.
Result<std::optional<double>> latency_budget_of(const SearchArguments& arguments);

}  // namespace hone::app
