#pragma once
// What the simulated accelerator took of a graph, and why not the rest.

#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

inline constexpr std::int64_t sim_report_schema = 1;

struct SimDeclined {
  std::string node;
  std::string op;
  std::string reason;
};
template <RecordOf<SimDeclined> Self>
void for_each_field(Self& node, auto&& field) {
  field("node", node.node, Presence::required);
  field("op", node.op, Presence::required);
  field("reason", node.reason, Presence::required);
}

struct SimReport {
  std::string profile;
  std::vector<std::vector<std::string>> groups;  // names of the nodes that run as one
  std::vector<SimDeclined> declined;
};
template <RecordOf<SimReport> Self>
void for_each_field(Self& report, auto&& field) {
  field("profile", report.profile);
  field("groups", report.groups);
  field("declined", report.declined);
}

}  // namespace hone
