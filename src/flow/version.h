#pragma once
// Which hone this is; the number comes from the project's CMakeLists.txt.

#include <string>

namespace hone {

std::string version_number();  // "1.2.3"

}  // namespace hone
