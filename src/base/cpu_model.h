#pragma once
// What /proc/cpuinfo says, on x86 and on Arm (which names no model, only numbers).

#include <string>
#include <string_view>

namespace hone {

// "AMD EPYC 7B13"; on Arm the cores by kind, "4x Cortex-A55 + 4x Cortex-A76"; empty when not told.
std::string cpu_model(std::string_view cpuinfo);

// How many CPUs it lists.
int logical_cpus(std::string_view cpuinfo);

// Whether the first CPU has the flag (x86) or feature (Arm).
bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag);

}  // namespace hone
