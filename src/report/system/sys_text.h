#pragma once
// A survey for people: the machine, the runtimes, one line for each EP, the devices.

#include <string>

#include "record/system.h"

namespace hone {

std::string describe_system(const System& system);

// Every session option with what it takes.
std::string describe_session_options(const SessionOptionList& list);

}  // namespace hone
