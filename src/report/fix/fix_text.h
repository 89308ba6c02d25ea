#pragma once
// A search for nodes to keep in float, for people.

#include <string>

#include "record/fix.h"

namespace hone {

std::string describe_fix(const FixResult& result);

}  // namespace hone
