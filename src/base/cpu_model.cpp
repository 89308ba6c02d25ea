#include "base/cpu_model.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

struct ArmCore {
  std::string_view implementer;
  std::string_view part;
  std::string_view name;
};

// Main ID register values of cores that run machine learning today, from the vendors' manuals by
// way of util-linux's lscpu-arm.c.
constexpr auto arm_cores = std::to_array<ArmCore>({
    {"0x41", "0xd03", "Cortex-A53"},  {"0x41", "0xd05", "Cortex-A55"},
    {"0x41", "0xd08", "Cortex-A72"},  {"0x41", "0xd0b", "Cortex-A76"},
    {"0x41", "0xd0c", "Neoverse-N1"}, {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd41", "Cortex-A78"},  {"0x41", "0xd42", "Cortex-A78AE"},
    {"0x41", "0xd44", "Cortex-X1"},   {"0x41", "0xd46", "Cortex-A510"},
    {"0x41", "0xd47", "Cortex-A710"}, {"0x41", "0xd48", "Cortex-X2"},
    {"0x41", "0xd49", "Neoverse-N2"}, {"0x41", "0xd4d", "Cortex-A715"},
    {"0x41", "0xd4e", "Cortex-X3"},   {"0x41", "0xd4f", "Neoverse-V2"},
    {"0x41", "0xd80", "Cortex-A520"}, {"0x41", "0xd81", "Cortex-A720"},
    {"0x41", "0xd82", "Cortex-X4"},   {"0x51", "0x001", "Oryon"},
    {"0xc0", "0xac3", "Ampere-1"},    {"0xc0", "0xac4", "Ampere-1a"},
});

std::string arm_name(const std::string& implementer, const std::string& part) {
  for (const ArmCore& core : arm_cores) {
    if (core.implementer == implementer && core.part == part) return std::string(core.name);
  }
  return "Arm core (implementer " + implementer + ", part " + part + ")";
}

// Calls visit(key, value) for each line.
template <class Visit>
void for_each_pair(std::string_view cpuinfo, Visit&& visit) {
  for (const std::string& line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view view = line;
    visit(trimmed(view.substr(0, colon)), trimmed(view.substr(colon + 1)));
  }
}

std::string described(const std::vector<std::pair<std::string, int>>& kinds) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : kinds) parts.push_back(std::to_string(count) + "x " + name);
  return join(parts, " + ");
}

}  // namespace

std::string cpu_model(std::string_view cpuinfo) {
  std::string model;
  std::string implementer;
  std::vector<std::pair<std::string, int>> kinds;
  for_each_pair(cpuinfo, [&](std::string_view key, std::string_view value) {
    if (key == "model name" && model.empty()) model = value;
    if (key == "CPU implementer") implementer = value;
    if (key != "CPU part") return;
    const std::string name = arm_name(implementer, std::string(value));
    const auto known = std::ranges::find(kinds, name, &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  });
  return model.empty() ? described(kinds) : model;
}

int logical_cpus(std::string_view cpuinfo) {
  int count = 0;
  for_each_pair(cpuinfo, [&](std::string_view key, std::string_view) {
    if (key == "processor") ++count;
  });
  return count;
}

bool has_cpu_flag(std::string_view cpuinfo, std::string_view flag) {
  bool found = false;
  for_each_pair(cpuinfo, [&](std::string_view key, std::string_view value) {
    if (key != "flags" && key != "Features") return;
    const std::vector<std::string> flags = split(value, ' ');
    found = found || std::ranges::find(flags, flag) != flags.end();
  });
  return found;
}

}  // namespace hone
