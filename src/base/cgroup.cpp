#include "base/cgroup.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace hone {
namespace {

// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr std::int64_t unlimited_memory = std::int64_t{1} << 60;

// This process's group in one hierarchy and all groups above it, nearest first. Inside a container
// the path may name folders that only the host sees; those levels are absent and left out.
std::vector<Path> groups_up_to_root(const Path& mount, std::string_view path) {
  std::vector<Path> groups;
  Path group = Path(path).relative_path().lexically_normal();
  while (true) {
    std::error_code failed;
    const Path folder = group.empty() ? mount : mount / group;
    if (std::filesystem::is_directory(folder, failed)) groups.push_back(folder);
    if (group.empty()) return groups;
    group = group.parent_path();
  }
}

struct Hierarchy {
  std::string controllers;  // "cpu,cpuacct"; empty: version 2
  std::string path;
};

std::vector<Hierarchy> hierarchies(const SystemRoots& roots) {
  std::vector<Hierarchy> found;
  const std::string text = read_text(roots.proc / "self/cgroup").value_or("");
  for (const std::string& line : split(text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    found.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return found;
}

bool manages(const Hierarchy& hierarchy, std::string_view controller) {
  const std::vector<std::string> names = split(hierarchy.controllers, ',');
  return std::ranges::find(names, controller) != names.end();
}

// The groups of version 2, or those of version 1 that manage `controller`.
std::vector<Path> groups_of(const SystemRoots& roots, std::string_view controller) {
  const Path base = roots.sys / "fs/cgroup";
  std::vector<Path> groups;
  const auto add = [&](const Path& mount, const std::string& path) {
    for (Path& group : groups_up_to_root(mount, path)) groups.push_back(std::move(group));
  };
  for (const Hierarchy& hierarchy : hierarchies(roots)) {
    if (hierarchy.controllers.empty()) {
      add(base, hierarchy.path);
      add(base / "unified", hierarchy.path);
    } else if (manages(hierarchy, controller)) {
      add(base / hierarchy.controllers, hierarchy.path);
      if (hierarchy.controllers != controller) add(base / controller, hierarchy.path);
    }
  }
  return groups;
}

template <class T>
void tighten(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

// "150000 100000", or "max 100000".
std::optional<double> quota_of_version_2(const Path& group) {
  const std::string line = read_line(group / "cpu.max").value_or("");
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return std::nullopt;
  const auto quota = parse_number<std::int64_t>(std::string_view(line).substr(0, space));
  const auto period = parse_number<std::int64_t>(std::string_view(line).substr(space + 1));
  if (!quota || !period || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_of_version_1(const Path& group) {
  const auto quota = read_integer(group / "cpu.cfs_quota_us");  // -1: none
  const auto period = read_integer(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::uint64_t> memory_of(const Path& group) {
  for (const char* name : {"memory.max", "memory.limit_in_bytes"}) {
    const std::optional<std::int64_t> bytes = read_integer(group / name);
    if (bytes && *bytes >= 0 && *bytes < unlimited_memory)
      return static_cast<std::uint64_t>(*bytes);
  }
  return std::nullopt;
}

// cpu.stat has one "key value" a line. Version 1 counts nanoseconds.
std::optional<CpuThrottling> throttling_of(const Path& group) {
  const std::optional<std::string> text = read_text(group / "cpu.stat");
  if (!text) return std::nullopt;
  CpuThrottling throttling;
  bool found = false;
  for (const std::string& line : split(*text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space);
    const std::int64_t value =
        parse_number<std::int64_t>(std::string_view(line).substr(space + 1)).value_or(0);
    found |= key == "nr_throttled";
    if (key == "nr_throttled") throttling.periods = value;
    if (key == "throttled_usec") throttling.microseconds = value;
    if (key == "throttled_time") throttling.microseconds = value / 1000;
  }
  if (!found) return std::nullopt;
  return throttling;
}

}  // namespace

CgroupLimits read_cgroup_limits(const SystemRoots& roots) {
  CgroupLimits limits;
  for (const Path& group : groups_of(roots, "cpu")) {
    tighten(limits.cpus, quota_of_version_2(group));
    tighten(limits.cpus, quota_of_version_1(group));
  }
  for (const Path& group : groups_of(roots, "memory"))
    tighten(limits.memory_bytes, memory_of(group));
  return limits;
}

std::optional<CpuThrottling> read_cpu_throttling(const SystemRoots& roots) {
  for (const Path& group : groups_of(roots, "cpu")) {
    if (const std::optional<CpuThrottling> throttling = throttling_of(group)) return throttling;
  }
  return std::nullopt;
}

}  // namespace hone
