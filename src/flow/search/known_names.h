#pragma once
// The names that findings may use: what this build of hone knows.

#include "knowledge/check.h"

namespace hone {

KnownNames known_names();

}  // namespace hone
