#pragma once
// A search as a table for other programs.

#include <string>

#include "record/search.h"

namespace hone {

// A row for each arm, in the search's order, under a row of names: id, dimension, target, title,
// recipe_hash, outcome, verdict, ratio, low, high, ms, accuracy, reason. Cells hold neither tabs
// nor line breaks; what is not known is empty. ratio, low and high are of confirmed arms alone, ms
// (the median time of a run) of those and of the baseline.
std::string search_tsv(const SearchResult& result);

}  // namespace hone
