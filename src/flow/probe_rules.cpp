#include "flow/probe_rules.h"

#include "base/misuse.h"
#include "base/text.h"
#include "flow/where.h"
#include "inspect/coverage/make_rules.h"
#include "model/types.h"

namespace hone {
namespace {

std::string command_of(const ProbeRulesOrder& order, const Target& target) {
  std::string command = "hone probe-rules --ep " + target.ep + " --device " + target.device +
                        " --oldest-opset " + std::to_string(order.oldest_opset);
  if (!order.types.empty()) command += " --types " + join(order.types, ",");
  return command;
}

}  // namespace

Result<RuleFile> probe_rules(const ProbeRulesOrder& order, const Watch& watch) {
  RuleProbeJob job;
  HONE_TRY_DO(fill_plan(order.where, job.probe.run));
  const Target& target = job.probe.run.target;
  if (target.device == "auto")
    return misuse("hone probe-rules needs --device",
                  "the rules are of one device class: cpu, gpu or npu");
  for (const std::string& type : order.types) {
    if (!element_type_named(type)) return misuse("'" + type + "' is no type", {});
  }
  job.probe.program = order.where.host.program;
  job.probe.limits.open = std::chrono::seconds(order.timeout_s);
  job.probe.progress = [&watch](const std::string& step) { watch.step(step); };
  job.device = target.device;
  job.types = order.types;
  job.oldest_opset = static_cast<int>(order.oldest_opset);
  job.made_by = command_of(order, target);
  job.source = "one-op models run on the " + target.ep + " EP";
  return make_rules(job);
}

}  // namespace hone
