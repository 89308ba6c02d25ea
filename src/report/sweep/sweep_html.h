#pragma once
// A sweep as one HTML file that needs no other: report.html.

#include <string>

#include "record/sweep.h"

namespace hone {

// The matrix, and each cell with all that is known of it. It reads as well without the script,
// which only filters.
std::string sweep_page(const SweepResult& sweep);

}  // namespace hone
