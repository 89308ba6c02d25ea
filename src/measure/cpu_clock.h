#pragma once
// How fast the CPUs' clocks run right now, where the kernel tells.

#include <optional>

#include "base/system_files.h"

namespace hone {

// The mean over CPUs, in MHz. Virtual machines mostly do not tell.
std::optional<double> read_cpu_mhz(const SystemRoots& roots = {});

}  // namespace hone
