#pragma once
// The names of a list of plug-ins, for an option that takes one of them.

#include <span>
#include <string>
#include <vector>

namespace hone::app {

template <class Row>
std::vector<std::string> names_in(std::span<const Row> rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace hone::app
