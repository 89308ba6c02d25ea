#pragma once
// The time of now, as records have it: in UTC, as text.

#include <string>

namespace hone {

std::string utc_now();    // "2026-06-25T14:03:59Z"
std::string utc_today();  // "2026-06-25"

}  // namespace hone
