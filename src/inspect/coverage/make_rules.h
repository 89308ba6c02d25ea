#pragma once
// Rules of an EP that is here: every specimen, run with every type and opset.

#include "inspect/coverage/probe_ops.h"
#include "record/coverage_rules.h"

namespace hone {

struct RuleProbeJob {
  OpProbeJob probe;
  std::string device;              // what the target's device is called in the file
  std::string made_by;             // the command that makes the file again
  std::string source;              // what is probed, in words
  std::vector<std::string> types;  // those tried; none: all of probed_types()
  int oldest_opset = 13;
};

// The same runtime, EP and device give the same rules.
Result<RuleFile> make_rules(const RuleProbeJob& job);

}  // namespace hone
