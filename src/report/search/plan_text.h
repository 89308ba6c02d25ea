#pragma once
// What a search would try and what not, for people at a terminal.

#include <string>

#include "record/search.h"

namespace hone {

// Every hypothesis in the order in which it would be tried, and every skip with its reason.
std::string describe_plan(const SearchResult& plan);

}  // namespace hone
