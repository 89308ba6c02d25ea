#pragma once
// A search as a table for other programs.

#include <string>

#include "record/search.h"

namespace hone {

// A row for each arm, in the search's order, under a row of names: id, dimension, title,
// recipe_hash, outcome, verdict, ratio, low, high, accuracy, reason. Cells hold neither tabs nor
// line breaks; what is not known is empty. ratio, low and high are of confirmed arms alone.
std::string search_tsv(const SearchResult& result);

}  // namespace hone
