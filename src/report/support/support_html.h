#pragma once
// The report of a bundle as one HTML file that needs no other.

#include <string>

#include "record/bundle.h"

namespace hone {

std::string bundle_page(const Bundle& bundle);

}  // namespace hone
