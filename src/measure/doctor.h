#pragma once
// What about a machine spoils measurements, from its facts alone.

#include <vector>

#include "base/machine.h"
#include "record/doctor.h"

namespace hone {

// One check for each thing that matters, in an order for reading; what the machine does not tell is
// unknown and not fine.
std::vector<Check> check_machine(const MachineFacts& machine);

}  // namespace hone
