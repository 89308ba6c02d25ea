#pragma once
// The report of a bundle as one HTML file that needs no other.

#include <string>
#include <vector>

#include "record/bundle.h"

namespace hone {

// `doubts` are files that are not what the bundle's manifest says.
std::string bundle_page(const Bundle& bundle, const std::vector<std::string>& doubts = {});

}  // namespace hone
