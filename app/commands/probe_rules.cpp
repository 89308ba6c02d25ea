// Makes a rule file of an EP that is here, by running every op it may take.

#include "app/command.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/text.h"
#include "flow/where.h"
#include "inspect/coverage/make_rules.h"
#include "inspect/coverage/rules.h"
#include "model/types.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string output;
  std::string types;
  std::int64_t oldest_opset = 13;
  std::int64_t timeout = 60;
  Where where;
};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  RuleProbeJob job;
  HONE_TRY_DO(fill_plan(arguments.where, job.probe.run));
  job.probe.program = arguments.where.host.program;
  job.probe.limits.open = std::chrono::seconds(arguments.timeout);
  StepProgress progress(call);
  job.probe.progress = [&progress](const std::string& step) { progress.step(step); };
  const Target& target = job.probe.run.target;
  if (target.device == "auto") {
    return fail(Fault::bad_input, "hone probe-rules needs --device", {},
                "the rules are of one device class: cpu, gpu or npu");
  }
  job.device = target.device;
  if (!arguments.types.empty()) job.types = split(arguments.types, ',');
  for (const std::string& type : job.types) {
    if (!element_type_named(type)) return fail(Fault::bad_input, "'" + type + "' is no type");
  }
  job.oldest_opset = static_cast<int>(arguments.oldest_opset);
  job.made_by = "hone probe-rules --ep " + target.ep + " --device " + job.device +
                " --oldest-opset " + std::to_string(job.oldest_opset);
  if (!job.types.empty()) job.made_by += " --types " + arguments.types;
  job.source = "one-op models run on the " + target.ep + " EP";
  HONE_TRY(const RuleFile rules, make_rules(job));
  progress.end();
  const std::string text = write_rules(rules);
  if (arguments.output.empty()) {
    HONE_TRY_DO(write_to_stdout(text));
  } else {
    HONE_TRY_DO(write_file(arguments.output, text));
  }
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("-o,--output FILE", arguments->output, "where the rules go (standard output)");
  options.text("--types LIST", arguments->types, "element types to try: float,int32 (all)");
  options.integer("--oldest-opset N", arguments->oldest_opset, "where to begin (13)",
                  Need::optional, {.least = 1, .most = 25});
  options.integer("--timeout SECONDS", arguments->timeout, "for one op (60)", Need::optional,
                  {.least = 1, .most = 3600});
  declare_where(options, arguments->where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command probe_rules() {
  return {.name = "probe-rules",
          .group = "",  // not listed: for those who keep the files in rules/
          .summary = "Make a rule file by running every op on an EP",
          .help =
              "Runs a one-op model for each op, element type and opset on the EP, in a\n"
              "process of its own with nothing to fall back to, and writes what came of it\n"
              "in the format of docs/rules.md.",
          .examples = "",
          .declare = declare};
}

}  // namespace hone::app::commands
