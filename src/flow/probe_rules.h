#pragma once
// The rule file of an EP that is here: every op it may take is run on it.

#include <string>
#include <vector>

#include "flow/watch.h"
#include "record/coverage_rules.h"
#include "record/where.h"

namespace hone {

struct ProbeRulesOrder {
  std::vector<std::string> types;  // element types to try; empty: all
  std::int64_t oldest_opset = 13;
  std::int64_t timeout_s = 60;  // of one op
  Where where;                  // REQUIRES a device class: the rules are of one
};

Result<RuleFile> probe_rules(const ProbeRulesOrder& order, const Watch& watch);

}  // namespace hone
