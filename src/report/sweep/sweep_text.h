#pragma once
// A sweep, for people at a terminal, and in the form that upstream's scripts read.

#include <string>

#include "base/json.h"
#include "record/sweep.h"

namespace hone {

// "2.77 MiB", or "-" where its files are not known: it was not built, or not here.
std::string size_of(const SweepCell& cell);

// The matrix, what failed and why, and what the disk was spared.
std::string describe_sweep(const SweepResult& sweep);

// A line for each model, and the targets.
std::string describe_listing(const SweepListing& listing);

// "12 of 120 cells, 1 failed, about 5 min to go".
std::string describe_sweep_progress(const SweepResult& sweep, double elapsed_s);

// build_only_results.json: an object by version, with upstream's names. `recorded_at` is the time
// in UTC; `package` the name of the package in a feed. What the place had before this sweep built
// it has the source "feed".
Json build_only_results(const SweepResult& sweep, const std::string& package,
                        const std::string& recorded_at);

}  // namespace hone
