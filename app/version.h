#pragma once
// Which hone this is; the number comes from the project's CMakeLists.txt.

#include <string>

#include "base/json.h"

namespace hone::app {

std::string version_number();  // "1.2.3"
std::string version_text();    // "hone 1.2.3\n"
Json version_document();

}  // namespace hone::app
