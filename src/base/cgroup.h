#pragma once
// What the control groups above this process allow it. A container sees the whole machine in /proc
// and is stopped by these limits.

#include <cstdint>
#include <optional>

#include "base/system_files.h"

namespace hone {

struct CgroupLimits {
  std::optional<double> cpus;  // 1.5: as much time as one and a half CPUs; nothing: no quota
  std::optional<std::uint64_t> memory_bytes;
};

// The tightest limit on the way from this process's group up to the root; versions 1 and 2, and
// both at once.
CgroupLimits read_cgroup_limits(const SystemRoots& roots);

// How often the quota stopped this process's group, and for how long.
struct CpuThrottling {
  std::int64_t periods = 0;
  std::int64_t microseconds = 0;
};
std::optional<CpuThrottling> read_cpu_throttling(const SystemRoots& roots);

}  // namespace hone
