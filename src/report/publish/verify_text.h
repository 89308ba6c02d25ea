#pragma once
// A published cell that was checked again, for people.

#include <string>

#include "record/verify.h"

namespace hone {

// `is_strict`: what this machine cannot check does not hold.
std::string describe_verification(const VerifyReport& report, bool is_strict);

}  // namespace hone
