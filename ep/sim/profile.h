#pragma once
// What a simulated device can do: the JSON file named by the option `profile` (docs/sim.md).

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ep/graph.h"
#include "record/fields.h"

namespace hone::ep::sim {

inline constexpr std::int64_t profile_schema = 1;

enum class DeviceClass { cpu, gpu, npu };
constexpr auto enum_names(DeviceClass) {
  return std::to_array<EnumName<DeviceClass>>(
      {{DeviceClass::cpu, "cpu"}, {DeviceClass::gpu, "gpu"}, {DeviceClass::npu, "npu"}});
}

// Ops, and the conditions under which the rule speaks of them. Conditions look at the first input
// and all outputs of a node: an allowing rule wants all of these tensors to meet them, a denying
// rule applies when one of them does.
struct Rule {
  std::vector<std::string> ops;    // "Conv", "com.microsoft.Gelu" or "*"
  std::vector<std::string> types;  // "float", "int8"; empty: any
  std::optional<std::int64_t> min_rank;
  std::optional<std::int64_t> max_rank;
  std::optional<bool> dynamic_shapes;
  std::optional<std::string> reason;  // what to tell about a node that is not taken
};
template <RecordOf<Rule> Self>
void for_each_field(Self& rule, auto&& field) {
  field("ops", rule.ops, Presence::required);
  field("types", rule.types);
  field("min_rank", rule.min_rank, Presence::when_given);
  field("max_rank", rule.max_rank, Presence::when_given);
  field("dynamic_shapes", rule.dynamic_shapes, Presence::when_given);
  field("reason", rule.reason, Presence::when_given);
}

struct Profile {
  std::string name = "unnamed";
  std::string vendor = "hone";
  std::optional<DeviceClass> device;       // absent: runs on any
  std::optional<std::vector<Rule>> allow;  // absent: all ops
  std::vector<Rule> deny;
  std::map<std::string, double> costs;  // of an op per element it makes; 1 where not given
  double clock_mhz = 1000;
  std::int64_t threads = 1;
  double latency_us = 0;
  double effect = 1;
  double session_jitter = 0;
};
template <RecordOf<Profile> Self>
void for_each_field(Self& profile, auto&& field) {
  field("name", profile.name, Presence::required);
  field("vendor", profile.vendor);
  field("device", profile.device, Presence::when_given);
  field("allow", profile.allow, Presence::when_given);
  field("deny", profile.deny);
  field("costs", profile.costs);
  field("clock_mhz", profile.clock_mhz);
  field("threads", profile.threads);
  field("latency_us", profile.latency_us);
  field("effect", profile.effect);
  field("session_jitter", profile.session_jitter);
}

Result<Profile> load_profile(const Path& file);
// Numbers out of range and words that are no element type; `where` names the profile in messages.
Status check_profile(const Profile& profile, const std::string& where);

// Why the profile leaves a node to others, or nothing when it takes it.
std::optional<std::string> reason_against(const Profile& profile, const GraphNode& node);

// What a node costs in relation to others: its op's cost times the elements it makes.
double cost_of(const Profile& profile, const GraphNode& node);

// What a compiled model depends on, in one form: two devices with the same identity run the same
// compiled models.
Json identity(const Profile& profile);

}  // namespace hone::ep::sim
