#pragma once
// A search, for people at a terminal.

#include <string>

#include "record/search.h"

namespace hone {

// The verdict, what ships and on what evidence, the compared arms from the slowest to the fastest,
// and how many were let go and why.
std::string describe_search(const SearchResult& result);

}  // namespace hone
