#pragma once
// What the stored outcomes of a search hold for besides its model and its machine, as keys of their
// contents: a file that was changed under its name is another one.

#include "flow/search/tools.h"

namespace hone {

// Inputs, shapes, seed and the placement that is required, and the `files` that recipes name:
// calibration data, overrides. A name may be empty.
Result<std::string> conditions_key(const SearchSite& site, const std::vector<std::string>& files);

// What accuracy is judged by.
Result<std::string> gate_key(const SearchSite& site);

}  // namespace hone
