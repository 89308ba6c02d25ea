#pragma once
// What `hone --version` says.

#include <string>

#include "base/json.h"

namespace hone::app {

std::string version_text();  // "hone 1.2.3\n"
Json version_document();

}  // namespace hone::app
