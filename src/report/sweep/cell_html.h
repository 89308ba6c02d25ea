#pragma once
// One cell of a sweep: as it stands in the matrix, and all that is known of it.

#include <cstddef>

#include "record/sweep.h"
#include "report/html/html.h"

namespace hone::cell_html {

bool is_published(const SweepCell& cell);
// "oom"; empty where it did not fail.
std::string failure_class(const SweepCell& cell);
// "0.031"; as few digits as tell it from 0.
std::string probability_text(double p);

// A link to the cell's own part of the page. `index` is the cell's place in the sweep.
Html brief(const SweepCell& cell, std::size_t index);
// That part, folded up.
Html whole(const SweepCell& cell, std::size_t index);

}  // namespace hone::cell_html
