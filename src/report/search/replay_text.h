#pragma once
// Searches on recorded spaces, for people at a terminal.

#include <string>

#include "record/replay_report.h"

namespace hone {

std::string describe_replay(const ReplayReport& report);

}  // namespace hone
