#pragma once
// The command lines that do again what was done with a cell, as a shell takes them.

#include <cstdint>
#include <string>

#include "record/sweep.h"

namespace hone {

// `hone perf` of what was built: the recipe in its folder says where it runs.
std::string line_of_perf(const CellOrder& order, const std::string& shape_config);

struct RepeatedSearch {
  const CellOrder& cell;
  std::string folder;
  std::string shape_config;
  std::int64_t time_budget_s = 0;
};
// `hone autoconfig` of the cell's model.
std::string line_of_search(const RepeatedSearch& search);

}  // namespace hone
